package crowd

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/resource"
	"lockside/ipc"
)

// retryPause is how long a client waits before it connects again.
const retryPause = 200 * time.Millisecond

var (
	// errGaveUp is for a wait that the client ended.
	errGaveUp = errors.New("gave up")

	// errHangUp is for one that it is about to end by hanging up.
	errHangUp = errors.New("hung up")
)

// A manner is how a client speaks with the daemon.
type manner interface {
	// connect makes sure that there is a connection.
	connect(ctx context.Context) error

	// lock waits for what a plan has. The error is an *ipc.Error when it was
	// refused, an *ipc.LostError when the session has ended, errGaveUp or
	// errHangUp when the plan said so, and anything else when the daemon could not
	// be reached.
	lock(p plan) (held, error)

	// hangUp closes the connection, and whatever it has.
	hangUp()
}

// held is what a client holds. An error of its methods is a loss.
type held interface {
	fence() int64
	lease() int64

	// keep holds for a while, or shorter when ctx ends.
	keep(ctx context.Context, d time.Duration) error

	// safe reports whether the client's own deadline is still ahead.
	safe() bool

	// unlock returns once the daemon has answered.
	unlock() error
}

// A client goes round and round.
type client struct {
	config   Config
	id       string
	host     Host
	recorder *history.Recorder
	random   *rand.Rand
	manner   manner
	resource *resource.Client
	failed   error // of the resource, which makes the history worthless
}

// newClient makes a client: three of four speak lines, each way on each host.
func newClient(config Config, i int, recorder *history.Recorder) (*client, error) {
	r, err := resource.Dial(config.Resource)
	if err != nil {
		return nil, err
	}
	c := &client{
		config: config, id: config.id(i), host: config.Hosts[i%len(config.Hosts)],
		recorder: recorder, random: random(config.Seed, config.id(i)), resource: r,
	}
	if i/len(config.Hosts)%4 == 0 {
		c.manner = &viaPackage{socket: c.host.Socket, id: c.id}
	} else {
		c.manner = &byLines{socket: c.host.Socket, clock: recorder.Now}
	}
	return c, nil
}

// live goes on until ctx ends, and then ends what it has begun.
func (c *client) live(ctx context.Context) {
	for ctx.Err() == nil && c.failed == nil {
		p := draw(c.random, c.config.Names, c.config.TTL)
		pause(ctx, p.pause)
		if err := c.manner.connect(ctx); err != nil {
			if ctx.Err() == nil {
				c.record(history.Event{Kind: Unreachable, Host: c.host.Name, Reason: err.Error()})
			}
			pause(ctx, retryPause)
			continue
		}
		c.cycle(ctx, p)
	}
	c.manner.hangUp()
	_ = c.resource.Close() // all that was asked is answered
}

func (c *client) record(e history.Event) {
	e.Client = c.id
	c.recorder.Record(e)
}

// cycle carries out a plan.
func (c *client) cycle(ctx context.Context, p plan) {
	c.record(history.Event{Kind: history.Asked, Names: p.names, Host: c.host.Name})
	h, err := c.manner.lock(p)
	if err != nil {
		c.ungranted(err)
		return
	}
	c.record(history.Event{Kind: history.Granted, Names: p.names, Host: c.host.Name, Fence: h.fence(), Lease: h.lease()})
	if err := c.hold(ctx, h, p); err != nil {
		c.lost(err)
		return
	}
	if !p.unlock {
		c.close()
		return
	}
	c.record(history.Event{Kind: history.Unlocking, Names: p.names})
	if err := h.unlock(); err != nil {
		c.lost(err)
		return
	}
	c.record(history.Event{Kind: history.Unlocked, Names: p.names})
}

// ungranted records how a wait ended.
func (c *client) ungranted(err error) {
	refused, isRefused := errors.AsType[*ipc.Error](err)
	switch {
	case errors.Is(err, errHangUp):
		c.close()
	case errors.Is(err, ipc.ErrLost):
		c.lost(err)
	case isRefused:
		c.record(history.Event{Kind: history.Refused, Reason: string(refused.Code)})
	case errors.Is(err, errGaveUp):
		c.record(history.Event{Kind: history.Refused, Reason: errGaveUp.Error()})
	default:
		c.record(history.Event{Kind: history.Refused, Host: c.host.Name, Reason: string(Unreachable)})
	}
}

// lost records the end of a session, and leaves nothing of it.
func (c *client) lost(err error) {
	reason := err.Error()
	if lost, ok := errors.AsType[*ipc.LostError](err); ok {
		reason = string(lost.Reason)
	}
	c.record(history.Event{Kind: history.Lost, Host: c.host.Name, Reason: reason})
	c.manner.hangUp()
}

func (c *client) close() {
	c.record(history.Event{Kind: history.Closing})
	c.manner.hangUp()
}

// hold holds for the plan's time, and uses what is guarded in between.
func (c *client) hold(ctx context.Context, h held, p plan) error {
	part := p.hold / time.Duration(p.uses+1)
	for range p.uses {
		if err := h.keep(ctx, part); err != nil {
			return err
		}
		for _, name := range p.names {
			if h.safe() {
				c.use(name, h.fence())
			}
		}
	}
	return h.keep(ctx, part)
}

// use reads or writes. The moment is a value that nobody else writes.
func (c *client) use(name string, fence int64) {
	u := resource.Use{Client: c.id, Name: name, Fence: fence, Write: c.random.IntN(2) == 0, Begin: c.recorder.Now()}
	if u.Write {
		u.Value = int64(u.Begin)
	}
	if _, err := c.resource.Use(u); err != nil {
		c.failed = err
	}
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
