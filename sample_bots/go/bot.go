// A bot for the referee. One stream carries all its matches; how it plays stands in strategy.go.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log"
	mathrand "math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "refereebot/refereev1"
)

const (
	firstPause = 500 * time.Millisecond // before a lost stream is opened again; doubled each time
	lastPause  = 15 * time.Second
)

// The bot is away until the referee welcomes it, and leaving once it has been asked to.
const (
	away int32 = iota
	open
	leaving
)

type bot struct {
	address  string
	token    string
	instance string           // the same on every stream: that is how the referee knows the bot again
	seats    map[string]int32 // the own seat in each running match
	state    atomic.Int32
	leave    chan struct{}
}

func main() {
	instance := make([]byte, 8)
	_, _ = rand.Read(instance)
	b := &bot{
		address:  variable("REFEREE_ADDRESS"),
		token:    variable("REFEREE_TOKEN"),
		instance: hex.EncodeToString(instance),
		seats:    map[string]int32{},
		leave:    make(chan struct{}, 1),
	}
	go b.heedSignals()
	options, err := dialOptions()
	if err != nil {
		log.Println("REFEREE_CA, REFEREE_KEEPALIVE:", err)
		os.Exit(2)
	}
	prepare()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := b.play(options)
		switch b.state.Swap(away) {
		case leaving:
			return
		case open:
			pause = firstPause
		}
		switch status.Code(err) {
		case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument, codes.FailedPrecondition:
			log.Fatalln("the referee refused the bot:", err)
		}
		log.Println("stream ended, coming back:", err)
		time.Sleep(pause/2 + mathrand.N(pause/2)) // by chance, so that bots do not come back in step
	}
}

// variable returns what has to be in the environment.
func variable(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Println(name, "is not set; the referee sets it for the bots that it launches")
		os.Exit(2)
	}
	return value
}

// heedSignals asks for no new matches and lets the running ones end; where that cannot be said, or is said
// already, it ends the bot at once.
func (b *bot) heedSignals() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	for range signals {
		switch {
		case b.state.CompareAndSwap(open, leaving):
			b.leave <- struct{}{}
		case b.state.Load() == leaving:
			os.Exit(1)
		default:
			os.Exit(0)
		}
	}
}

// dialOptions reads REFEREE_CA, REFEREE_TLS and REFEREE_KEEPALIVE; without them nothing is encrypted, and
// pings are left to the library.
func dialOptions() (options []grpc.DialOption, err error) {
	secure := insecure.NewCredentials()
	if ca := os.Getenv("REFEREE_CA"); ca != "" {
		secure, err = credentials.NewClientTLSFromFile(ca, "")
	} else if os.Getenv("REFEREE_TLS") != "" {
		secure = credentials.NewTLS(nil)
	}
	options = append(options, grpc.WithTransportCredentials(secure))
	if seconds := os.Getenv("REFEREE_KEEPALIVE"); seconds != "" && err == nil {
		pings := keepalive.ClientParameters{PermitWithoutStream: true}
		pings.Time, err = time.ParseDuration(seconds + "s")
		options = append(options, grpc.WithKeepaliveParams(pings))
	}
	return options, err
}

// play plays over one stream, and returns why it ended. The connection is a new one each time, as an old
// one would add pauses of its own.
func (b *bot) play(options []grpc.DialOption) error {
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
			heed(told.Goodbye)
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

// heed ends the bot where coming back would be no use.
func heed(goodbye *pb.Goodbye) {
	switch goodbye.Reason {
	case pb.GoodbyeReason_GOODBYE_REASON_LEFT:
		os.Exit(0)
	case pb.GoodbyeReason_GOODBYE_REASON_TAKEN_OVER, pb.GoodbyeReason_GOODBYE_REASON_BAD_HELLO,
		pb.GoodbyeReason_GOODBYE_REASON_REVOKED, pb.GoodbyeReason_GOODBYE_REASON_STREAM_FAULTS:
		log.Fatalf("the referee ended the session: %v: %s", goodbye.Reason, goodbye.Note)
	}
}
