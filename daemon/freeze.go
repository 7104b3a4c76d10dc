package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"lockside/daemon/config"
	"lockside/daemon/listen"
	"lockside/ipc"
	"lockside/leases"
)

// gap is twice as long as an upgrade may keep clients waiting. A lease in use that has
// less than this left until its deadline less margin is waited for, and after
// patienceToFreeze the upgrade is refused.
const (
	gap              = time.Second
	patienceToFreeze = 10 * time.Second
)

// errUpgrade ends the serving of one server: it is frozen, and another goes on from
// there, in this program or the next.
var errUpgrade = errors.New("upgrade")

// errEmbedded is why there is no upgrade.
var errEmbedded = errors.New("an embedded etcd cannot be handed over to another program")

// Frozen is a daemon that serves nobody for a moment: all that it knows and has open.
// Its leases run on, its clients wait.
type Frozen struct {
	config   config.Config
	socket   *listen.Listener
	state    *os.File // the lock of the state directory
	locks    *leases.Image
	sessions []*session
	started  time.Time
}

// parked is the sessions that have been stopped where they were.
type parked struct {
	mu  sync.Mutex // guards what follows
	all []*session
}

func (p *parked) add(n *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, n)
}

func (p *parked) take() []*session {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.all
	p.all = nil
	return all
}

// awaitTime waits until every lease in use has the time that an upgrade may take. All of
// them are renewed now and then, so that does not take long while etcd is there.
func (s *server) awaitTime(ctx context.Context) error {
	if s.cfg.Embedded {
		return errEmbedded
	}
	ctx, cancel := context.WithTimeout(ctx, patienceToFreeze)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.locks.MayFreeze(gap)
		if !errors.Is(err, leases.ErrShort) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// stopAll stops the sessions where they are, and then the locks' side, from which
// nothing comes any more. After an error all go on as before.
func (s *server) stopAll() (*Frozen, error) {
	s.freeze()
	s.sessions.wait.Wait()
	sessions := s.parked.take()
	image, lock, err := s.locks.Freeze(gap / 2)
	if err != nil {
		s.life, s.freeze = context.WithCancel(context.Background())
		for _, n := range sessions {
			s.sessions.wait.Go(func() { s.attend(n) })
		}
		return nil, fmt.Errorf("freeze locks: %w", err)
	}
	return &Frozen{s.cfg, s.socket, lock, image, sessions, s.started}, nil
}

// pause stops a session where it is, once the server is being frozen, and reports false
// if it is over. What its reader has cut already is taken in.
func (n *session) pause() bool {
	n.conn.interrupt()
	n.stopReading()
	left := n.reader.left
	n.reader.left = nil
	for _, m := range left {
		n.receive(m)
	}
	if n.over {
		n.conn.cut(n.out)
	}
	return !n.over
}

// resume serves sessions of a frozen daemon. What was lost meanwhile has been told to
// them already.
func (s *server) resume(sessions []*session) {
	for _, n := range sessions {
		s.sessions.add(n.peer.UID)
		if n.waits == forLock {
			s.waiters.Add(1)
		}
		n.bound()
		s.sessions.wait.Go(func() { s.attend(n) })
	}
}

// keep has a configuration go on with what cannot change while locks are held.
func (f *Frozen) keep(o Options) config.Config {
	c, was := o.Config, f.config
	for _, fixed := range []struct{ key, is, was string }{
		{"socket", c.Socket, was.Socket}, {"state-dir", c.StateDir, was.StateDir}, {"prefix", c.Prefix, was.Prefix},
	} {
		if fixed.is != fixed.was && (fixed.key != "socket" || !f.socket.Given()) {
			o.Logger.Warn("Not changed until the daemon is restarted", "key", fixed.key, "from", fixed.was, "to", fixed.is)
		}
	}
	c.Socket, c.StateDir, c.Prefix = was.Socket, was.StateDir, was.Prefix
	if c.Embedded {
		o.Logger.Warn("Not changed until the daemon is restarted", "key", "embedded", "from", false, "to", true)
		c.Embedded = false
	}
	return c
}

// abandon ends all sessions, when the daemon cannot go on: their clients must not
// believe that they hold anything.
func (f *Frozen) abandon() {
	for _, n := range f.sessions {
		n.conn.cut(ipc.AppendLost(nil, ipc.ReasonShutdown))
		_ = n.conn.Close()
	}
}
