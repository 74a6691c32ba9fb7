// One stream, which carries all matches of the bot, and what it says on it.
package main

import (
	"context"
	"crypto/rand"
	"log"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	pb "example.org/sample-bot/refereev1"
)

// play plays over one stream, and returns why it ended. The connection is a new one each time, as an old
// one would add pauses of its own.
func (b *bot) play(options []grpc.DialOption) error {
	b.goodbye = nil
	conn, err := grpc.NewClient(b.address, options...)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+b.token)
	stream, err := pb.NewPlayServiceClient(conn).Play(ctx)
	if err != nil {
		return err
	}
	send := func(frames ...*pb.PlayRequestFrame) {
		_ = stream.Send(&pb.PlayRequest{Frames: frames}) // an error comes out of Recv as well
	}
	send(&pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Hello{Hello: &pb.Hello{
		ProtocolVersion: 1, BotVersion: "1", InstanceId: b.instance, Games: games, MatchesAtOnce: 8,
		EventDelivery: pb.EventDelivery_EVENT_DELIVERY_NONE,
	}}})
	received, ended := make(chan *pb.PlayResponse), make(chan error, 1)
	go receive(stream, received, ended)
	for {
		select {
		case message := <-received:
			if answers := b.answers(message); len(answers) > 0 {
				send(answers...)
			}
		case <-b.leave:
			send(&pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Leave{Leave: &pb.Leave{}}})
		case err := <-ended:
			return err
		}
	}
}

// receive passes on what the referee says until the stream ends.
func receive(stream pb.PlayService_PlayClient, received chan<- *pb.PlayResponse, ended chan<- error) {
	for {
		message, err := stream.Recv()
		if err != nil {
			ended <- err // all messages before it have been taken
			return
		}
		received <- message
	}
}

// answers returns what the frames of a message ask for: all of it goes in one message. Frames that the bot
// does not know are skipped.
func (b *bot) answers(message *pb.PlayResponse) (answers []*pb.PlayRequestFrame) {
	for _, frame := range message.Frames {
		switch told := frame.Frame.(type) {
		case *pb.PlayResponseFrame_Welcome:
			b.state.CompareAndSwap(away, open)
		case *pb.PlayResponseFrame_MatchStarted:
			answers = append(answers, b.ready(told.MatchStarted))
		case *pb.PlayResponseFrame_Turn:
			turn := told.Turn
			answers = append(answers, act(&pb.Act{
				MatchId: turn.MatchId, TurnId: turn.TurnId, Answer: &pb.Act_Action{Action: choose(turn)},
			}))
		case *pb.PlayResponseFrame_Rejected:
			answers = append(answers, again(told.Rejected)...)
		case *pb.PlayResponseFrame_Ping:
			pong := &pb.Pong{PingId: told.Ping.PingId}
			answers = append(answers, &pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Pong{Pong: pong}})
		case *pb.PlayResponseFrame_MatchEnded:
			b.ended(told.MatchEnded)
		case *pb.PlayResponseFrame_Goodbye:
			b.goodbye = told.Goodbye
		}
	}
	return answers
}

func (b *bot) ready(started *pb.MatchStarted) *pb.PlayRequestFrame {
	b.seats[started.MatchId] = started.Seat
	onMatch(started)
	entropy := make([]byte, 16)
	_, _ = rand.Read(entropy)
	ready := &pb.Ready{MatchId: started.MatchId, Entropy: entropy}
	return &pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Ready{Ready: ready}}
}

func act(act *pb.Act) *pb.PlayRequestFrame {
	return &pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Act{Act: act}}
}

// again answers a turn that is still open after a refusal with its first legal action, which is never
// refused.
func again(refused *pb.Rejected) []*pb.PlayRequestFrame {
	turn := refused.AnsweredTurnId
	log.Printf("match %s turn %d rejected: %v: %s", refused.MatchId, turn, refused.Fault, refused.Reason)
	wrong := refused.Fault == pb.FaultKind_FAULT_KIND_ILLEGAL || refused.Fault == pb.FaultKind_FAULT_KIND_MALFORMED
	stillOpen := refused.TurnId != 0 && refused.TurnId == turn && refused.PlayedAction == nil
	if !wrong || !stillOpen {
		return nil
	}
	first := &pb.Act_Index{Index: 0}
	return []*pb.PlayRequestFrame{act(&pb.Act{MatchId: refused.MatchId, TurnId: refused.TurnId, Answer: first})}
}

func (b *bot) ended(match *pb.MatchEnded) {
	result := strings.TrimPrefix(match.Termination.String(), "TERMINATION_")
	for _, place := range match.Placements {
		if seat, known := b.seats[match.MatchId]; known && place.Seat == seat {
			log.Printf("match %s ended %s, rank %d of %d", match.MatchId, result, place.Rank, len(match.Placements))
		}
	}
	delete(b.seats, match.MatchId)
}
