package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"lockside/daemon/config"
	"lockside/daemon/embedded"
	"lockside/daemon/listen"
	"lockside/daemon/peer"
	"lockside/ipc"
	"lockside/leases"
)

// errMember ends the daemon: without its etcd it is of no use.
var errMember = errors.New("embedded etcd stopped by itself: see its messages above")

// server accepts clients and knows their sessions.
type server struct {
	cfg      config.Config
	version  string
	log      *slog.Logger
	socket   *listen.Listener
	locks    *leases.Service
	peers    peer.Identifier
	started  time.Time
	accepted chan struct{} // closed once a restore is accepted
	anew     sync.Once     // closes it
	served   chan struct{} // closed once serve has returned
	draining atomic.Bool
	waiters  atomic.Int64 // LOCKs that wait, of all sessions
	sessions table

	vital   *vital
	upgrade func(*Frozen) error // why serve has returned errUpgrade
	life    context.Context     // ends when the server is to be frozen
	freeze  context.CancelFunc
	parked  parked

	objection func() string // etcd's, to what locks take; empty if it has none
}

func newServer(c config.Config, o Options, socket *listen.Listener) *server {
	s := &server{
		cfg: c, version: o.Version, log: o.Logger, socket: socket, started: o.started,
		accepted: make(chan struct{}), served: make(chan struct{}),
		sessions: table{users: map[uint32]int{}, most: c.Limits.Sessions, mostOfUser: c.Limits.SessionsPerUser},
	}
	s.vital = newVital(o.Systemd, c.MarginOf)
	s.life, s.freeze = context.WithCancel(context.Background())
	return s
}

// freezing reports whether sessions are to stop where they are.
func (s *server) freezing() bool { return s.life.Err() != nil }

// beginAnew ends serve, and has another server take over, which serves whoever
// connects after beginAnew has returned.
func (s *server) beginAnew() {
	s.anew.Do(func() { close(s.accepted) })
	<-s.served
}

// serve accepts until the context is done, the embedded member has stopped by
// itself, a restore is accepted, which is errAccepted, or an upgrade is asked for,
// which is errUpgrade.
func (s *server) serve(ctx context.Context, member *embedded.Server, upgrades <-chan func(*Frozen) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel(nil)
	watching.Go(func() { cancel(s.watch(ctx, member, upgrades)) })
	if s.vital.systemd != nil {
		watching.Go(func() { s.keepVital(ctx) })
	}
	for {
		conn, err := s.socket.Accept(ctx)
		switch {
		case err == nil:
			s.welcome(conn)
		case ctx.Err() != nil:
			return ended(ctx)
		default:
			return fmt.Errorf("accept: %w", err)
		}
	}
}

// watch waits for what ends serve, and returns it.
func (s *server) watch(ctx context.Context, member *embedded.Server, upgrades <-chan func(*Frozen) error) error {
	var memberDone <-chan struct{}
	if member != nil {
		memberDone = member.Done()
	}
	for {
		select {
		case <-memberDone:
			return errMember
		case <-s.accepted:
			return errAccepted
		case s.upgrade = <-upgrades:
			err := s.awaitTime(ctx)
			if err == nil {
				return errUpgrade
			}
			s.log.Error("Upgrade refused: restart the daemon, or try again", "error", err)
		case <-ctx.Done():
			return nil
		}
	}
}

// ended is what serve returns of a context that is over.
func ended(ctx context.Context) error {
	for _, why := range []error{errMember, errAccepted, errUpgrade} {
		if errors.Is(context.Cause(ctx), why) {
			return why
		}
	}
	return nil
}

// welcome starts a session, or says why there cannot be one.
func (s *server) welcome(conn *net.UnixConn) {
	c, err := newConn(conn)
	if err != nil {
		s.log.Warn("Client refused", "error", err)
		_ = conn.Close()
		return
	}
	uid, err := c.uid()
	if err == nil {
		err = s.sessions.enter(uid)
	}
	if err != nil {
		s.log.Warn("Client refused", "uid", uid, "error", err)
		c.cut(ipc.AppendErr(nil, err))
		_ = c.Close()
		return
	}
	s.sessions.wait.Go(func() {
		if n := s.begin(c); n != nil {
			s.attend(n)
		} else {
			s.sessions.leave(uid)
			_ = c.Close()
		}
	})
}

// attend runs one session until its end, or until the server is frozen, when it is
// parked.
func (s *server) attend(n *session) {
	n.conn.goOn()
	interrupted := make(chan struct{})
	stop := context.AfterFunc(s.life, func() {
		defer close(interrupted)
		n.conn.interrupt()
	})
	n.serve()
	if !stop() {
		<-interrupted
	}
	if !n.over && n.pause() {
		s.parked.add(n)
		return
	}
	n.end()
	s.sessions.leave(n.peer.UID)
	_ = n.conn.Close()
}

// begin makes the session of a connection, or nil if there can be none. It is
// apart from attend so that a session which waits has little on its stack.
func (s *server) begin(c *conn) *session {
	who, err := s.peers.Identify(c.UnixConn)
	if err != nil {
		s.log.Warn("Client not identified", "error", err)
		return nil
	}
	n := newSession(s, c, who)
	if s.draining.Load() {
		c.cut(ipc.AppendLost(nil, ipc.ReasonShutdown)) // it may have come after the locks' side ended all others
		n.end()
		return nil
	}
	return n
}
