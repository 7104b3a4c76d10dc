package soak

import (
	"fmt"
	"time"

	"lockside/fencing/lab/servers"
)

// Options say how to soak.
type Options struct {
	For      time.Duration // how long there are faults
	Seed     uint64        // of all plans, or 0 to draw one
	Hosts    int
	Members  int
	Crowds   int // processes of clients
	Clients  int // in all crowds together
	Names    int
	TTL      time.Duration
	Progress time.Duration // how often to tell how it goes
	Debug    bool          // have daemons log all they do
	History  string        // path of a file that takes all events, or ""

	Dir      string // where the servers' files go
	Keep     bool   // leave them there
	Programs servers.Programs
}

// Check says what is wrong with the options.
func (o Options) Check() error {
	switch {
	case o.For <= 0 || o.Progress <= 0:
		return fmt.Errorf("a soak for %v, told of every %v: give it some time", o.For, o.Progress)
	case o.Hosts < 1 || o.Hosts > 20:
		return fmt.Errorf("%d hosts: give 1 to 20", o.Hosts)
	case o.Members < 1 || o.Members > 7 || o.Members%2 == 0:
		return fmt.Errorf("%d members: give 1, 3, 5 or 7", o.Members)
	case o.Crowds < 1 || o.Crowds > 200:
		return fmt.Errorf("%d crowds: give 1 to 200", o.Crowds)
	case o.Clients < o.Crowds || o.Clients > 9000:
		return fmt.Errorf("%d clients: give one for each of the %d crowds at least, and up to 9000", o.Clients, o.Crowds)
	case o.Names < 2:
		return fmt.Errorf("%d names: give 2 or more", o.Names)
	case o.TTL < 3*time.Second || o.TTL%time.Second != 0:
		return fmt.Errorf("a TTL of %v: give whole seconds, 3s or more", o.TTL)
	}
	return nil
}

// margin is the daemons' default.
func (o Options) margin() time.Duration { return max(o.TTL/6, time.Second) }
