package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/crowd"
	"lockside/fencing/lab/servers"
)

// finishTimeout is how long clients have to be served and to end, once there are
// no faults any more.
const finishTimeout = time.Minute

// A running crowd is one process of clients.
type running struct {
	*servers.Program
	config crowd.Config
}

// crowds are all of them, for a lane of their own.
type crowds struct {
	dir      string
	config   crowd.Config // without a name
	ledger   *ledger
	recorder *history.Recorder
	merger   *merger
	ttl      time.Duration
	readers  sync.WaitGroup // of what crowds write

	all         []*running // replaced by the lane alone
	generations int
}

// start starts all crowds.
func (c *crowds) start(n, clients int) error {
	for i := range n {
		c.config.Clients = clients*(i+1)/n - clients*i/n
		one, err := c.begin()
		if err != nil {
			return err
		}
		c.all = append(c.all, one)
	}
	return nil
}

// begin starts a crowd, whose name none had before.
func (c *crowds) begin() (*running, error) {
	c.generations++
	config := c.config
	config.Name = fmt.Sprintf("c%d", c.generations)
	variable, err := config.Environment()
	if err != nil {
		return nil, err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a crowd: %w", err)
	}
	defer in.Close()     // the crowd has it
	s := c.merger.open() // before the crowd can write
	c.readers.Go(func() { s.read(out) })
	program, err := servers.StartProgram(c.dir, config.Name, variable, in)
	if err != nil {
		return nil, err
	}
	return &running{program, config}, nil
}

func (c *crowds) faults() []fault {
	return []fault{{"crowd frozen", 2, c.freeze}, {"crowd killed", 2, c.kill}}
}

// freeze freezes a crowd.
func (c *crowds) freeze(ctx context.Context, r *rand.Rand) error {
	victim := c.all[r.IntN(len(c.all))]
	defer c.ledger.begin(span{state: still, crowd: victim.config.Name})()
	if err := c.stand(victim); err != nil {
		return err
	}
	wait(ctx, length(r, c.ttl))
	return victim.Thaw(0)
}

// stand has a crowd stand still. What its clients have until the last moment may
// be lost by the time they go on, so it is recorded once more then.
func (c *crowds) stand(victim *running) error {
	c.record(victim, history.Stopped)
	err := victim.Freeze(0)
	c.record(victim, history.Stopped)
	return err
}

// record tells the same of all clients of a crowd.
func (c *crowds) record(victim *running, kind history.Kind) {
	for _, id := range victim.config.IDs() {
		c.recorder.Record(history.Event{Kind: kind, Client: id})
	}
}

// kill kills a crowd, as it stands still so that nothing is recorded of it later,
// and starts another of that size.
func (c *crowds) kill(_ context.Context, r *rand.Rand) error {
	i := r.IntN(len(c.all))
	victim := c.all[i]
	if err := c.stand(victim); err != nil {
		return err
	}
	c.record(victim, history.Killed)
	victim.Kill(0)
	c.config.Clients = victim.config.Clients
	next, err := c.begin()
	if err != nil {
		return err
	}
	c.all[i] = next
	return nil
}

// finish has all clients end, and tells of crowds that did not. It returns when
// all that they wrote is read.
func (c *crowds) finish() []error {
	errs := make([]error, len(c.all))
	var wg sync.WaitGroup
	for i, one := range c.all {
		wg.Go(func() {
			if !one.Finish(finishTimeout) {
				errs[i] = fmt.Errorf("crowd %s: some clients did not end within %v", one.config.Name, finishTimeout)
			} else if err := one.Err(); err != nil {
				errs[i] = fmt.Errorf("crowd %s: %w; its log ends:\n%s", one.config.Name, err, one.Log())
			}
		})
	}
	wg.Wait()
	c.readers.Wait()
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}
