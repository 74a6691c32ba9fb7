// A bot for the referee: the process, from its start to its end. What it says to the referee stands in
// session.go, and how it plays in strategy.go.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"log"
	mathrand "math/rand/v2"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	pb "example.org/sample-bot/refereev1"
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
	goodbye  *pb.Goodbye      // why the stream ended, where that was told
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
		state := b.state.Swap(away)
		if state == leaving || b.goodbye.GetReason() == pb.GoodbyeReason_GOODBYE_REASON_LEFT {
			return
		}
		if isFinal(b.goodbye.GetReason(), status.Code(err)) {
			log.Fatalf("the referee will not have the bot: %v %s", err, b.goodbye.GetNote())
		}
		if state == open {
			pause = firstPause
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

// isFinal says whether coming back would end in the same way.
func isFinal(reason pb.GoodbyeReason, code codes.Code) bool {
	switch code {
	case codes.FailedPrecondition: // matches of an earlier version still run, and will end
		return false
	case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument:
		return true
	}
	switch reason {
	case pb.GoodbyeReason_GOODBYE_REASON_TAKEN_OVER, pb.GoodbyeReason_GOODBYE_REASON_BAD_HELLO,
		pb.GoodbyeReason_GOODBYE_REASON_REVOKED, pb.GoodbyeReason_GOODBYE_REASON_STREAM_FAULTS:
		return true
	}
	return false
}
