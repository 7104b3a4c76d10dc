package crowd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"lockside/daemon/faults/history"
)

// Variable holds the configuration of a crowd in the environment of its process.
const Variable = "LOCKSIDE_LAB_CROWD"

// What a crowd writes beside the kinds of package history.
const (
	// Awake comes a few times a second. Begin is when it should have come.
	Awake history.Kind = "awake"

	// Unreachable is for a client that could not connect to the daemon of Host,
	// for Reason, while it neither had nor asked for anything.
	Unreachable history.Kind = "unreachable"
)

// wakePeriod is how long a crowd sleeps between two Awake.
const wakePeriod = 200 * time.Millisecond

// A Host is a daemon that clients connect to.
type Host struct {
	Name   string `json:"name"`
	Socket string `json:"socket"`
}

// Config says what clients a crowd has.
type Config struct {
	Name     string        `json:"name"` // of the crowd, in which clients are numbered
	Seed     uint64        `json:"seed"`
	Clients  int           `json:"clients"`
	Hosts    []Host        `json:"hosts"` // which the clients are spread over
	Names    int           `json:"names"` // how many there are to lock
	TTL      time.Duration `json:"ttl_ns"`
	Resource string        `json:"resource"` // socket of what the names guard
}

// IDs are the names of all clients in the history.
func (c Config) IDs() []string {
	var all []string
	for i := range c.Clients {
		all = append(all, c.id(i))
	}
	return all
}

func (c Config) id(i int) string { return fmt.Sprintf("%s/%d", c.Name, i) }

// Environment is the variable that makes a process this crowd.
func (c Config) Environment() (string, error) {
	text, err := json.Marshal(c)
	return Variable + "=" + string(text), err
}

// Main runs a crowd and exits if this process was started as one. Programs that
// start crowds call it before all else. The crowd ends in good order when TERM
// comes: nobody begins anew, who holds gives back, and who waits is served.
func Main() {
	text, ok := os.LookupEnv(Variable)
	if !ok {
		return
	}
	var config Config
	err := json.Unmarshal([]byte(text), &config)
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err = Run(ctx, config, os.Stdout)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Run runs a crowd until ctx ends and every client has ended what it began.
func Run(ctx context.Context, config Config, out io.Writer) error {
	recorder := history.NewWriter(out)
	clients := make([]*client, 0, config.Clients)
	for i := range config.Clients {
		c, err := newClient(config, i, recorder)
		if err != nil {
			return err
		}
		clients = append(clients, c)
	}
	over := make(chan struct{})
	var sleeper, living sync.WaitGroup
	sleeper.Go(func() { stayAwake(over, config.Name, recorder) })
	for _, c := range clients {
		living.Go(func() { c.live(ctx) })
	}
	living.Wait()
	close(over)
	sleeper.Wait()
	errs := []error{recorder.Err()}
	for _, c := range clients {
		errs = append(errs, c.failed)
	}
	return errors.Join(errs...)
}

// stayAwake shows that the crowd has its share of the processor.
func stayAwake(over <-chan struct{}, name string, recorder *history.Recorder) {
	for {
		due := recorder.Now() + wakePeriod
		select {
		case <-over:
			return
		case <-time.After(wakePeriod):
			recorder.Record(history.Event{Kind: Awake, Client: name, Begin: due})
		}
	}
}

// random are a client's own numbers.
func random(seed uint64, id string) *rand.Rand {
	sum := uint64(14695981039346656037) // FNV-1a
	for _, b := range []byte(id) {
		sum = (sum ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, sum))
}
