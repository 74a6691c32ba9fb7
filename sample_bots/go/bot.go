// A bot in Go: plays the first legal action. Put your own idea into choose.
package main

import (
	"context"
	"crypto/rand"
	"log"
	mathrand "math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "refereebot/refereev1"
)

// choose returns an action; turn.Observation holds all that the seat may know.
var games = []string{"block_dominoes", "guan_pai", "mexican_train", "ding_niu"}

func choose(turn *pb.Turn) *pb.Action { return turn.LegalActions[0] }

func main() {
	secure, err := security()
	if err != nil {
		log.Fatal(err)
	}
	conn, err := grpc.NewClient(os.Getenv("REFEREE_ADDRESS"), grpc.WithTransportCredentials(secure))
	if err != nil {
		log.Fatal(err)
	}
	token := "Bearer " + os.Getenv("REFEREE_TOKEN")
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", token)
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	for {
		over, err := play(ctx, pb.NewPlayServiceClient(conn), term)
		switch status.Code(err) {
		case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument:
			log.Fatal(err)
		}
		if over {
			return
		}
		log.Println("stream ended:", err)
		time.Sleep(time.Duration(500+mathrand.IntN(1000)) * time.Millisecond)
	}
}

// security returns TLS if REFEREE_CA names a file of root certificates or REFEREE_TLS is set, else plain text.
func security() (credentials.TransportCredentials, error) {
	if ca := os.Getenv("REFEREE_CA"); ca != "" {
		return credentials.NewClientTLSFromFile(ca, "")
	}
	if os.Getenv("REFEREE_TLS") != "" {
		return credentials.NewTLS(nil), nil
	}
	return insecure.NewCredentials(), nil
}

// play plays over one stream; it returns true when the referee needs no further one.
func play(ctx context.Context, service pb.PlayServiceClient, term <-chan os.Signal) (over bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := service.Play(ctx)
	if err != nil {
		return false, err
	}
	answers := make(chan *pb.PlayRequest, 64)
	defer close(answers)
	go send(stream, answers, term)
	answers <- request(&pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Hello{Hello: &pb.Hello{
		ProtocolVersion: 1, BotVersion: "1", Games: games,
	}}})
	for {
		message, err := stream.Recv()
		if err != nil {
			return over, err
		}
		var frames []*pb.PlayRequestFrame // all answers of a message go in one message
		for _, frame := range message.Frames {
			if answer := answer(frame); answer != nil {
				frames = append(frames, answer)
			}
			over = over || isOver(frame.GetGoodbye().GetReason())
		}
		if len(frames) > 0 {
			answers <- request(frames...)
		}
	}
}

// send is the only writer of the stream: answers, and Leave after a SIGTERM.
func send(stream pb.PlayService_PlayClient, answers <-chan *pb.PlayRequest, term <-chan os.Signal) {
	for {
		select {
		case message, open := <-answers:
			if !open {
				return
			}
			_ = stream.Send(message) // an error comes out of Recv as well
		case <-term:
			_ = stream.Send(request(&pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Leave{Leave: &pb.Leave{}}}))
		}
	}
}

// answer returns what a frame asks for, or nil.
func answer(frame *pb.PlayResponseFrame) *pb.PlayRequestFrame {
	switch told := frame.Frame.(type) {
	case *pb.PlayResponseFrame_MatchStarted:
		entropy := make([]byte, 16)
		_, _ = rand.Read(entropy)
		ready := &pb.Ready{MatchId: told.MatchStarted.MatchId, Entropy: entropy}
		return &pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Ready{Ready: ready}}
	case *pb.PlayResponseFrame_Turn:
		turn := told.Turn
		act := &pb.Act{MatchId: turn.MatchId, TurnId: turn.TurnId, Answer: &pb.Act_Action{Action: choose(turn)}}
		return &pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Act{Act: act}}
	case *pb.PlayResponseFrame_Ping:
		return &pb.PlayRequestFrame{Frame: &pb.PlayRequestFrame_Pong{Pong: &pb.Pong{PingId: told.Ping.PingId}}}
	case *pb.PlayResponseFrame_Rejected:
		log.Println("rejected:", told.Rejected.Reason)
	}
	return nil
}

func isOver(reason pb.GoodbyeReason) bool {
	switch reason {
	case pb.GoodbyeReason_GOODBYE_REASON_LEFT, pb.GoodbyeReason_GOODBYE_REASON_TAKEN_OVER,
		pb.GoodbyeReason_GOODBYE_REASON_BAD_HELLO, pb.GoodbyeReason_GOODBYE_REASON_REVOKED,
		pb.GoodbyeReason_GOODBYE_REASON_STREAM_FAULTS:
		return true
	}
	return false
}

func request(frames ...*pb.PlayRequestFrame) *pb.PlayRequest { return &pb.PlayRequest{Frames: frames} }
