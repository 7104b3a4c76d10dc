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

	objection func() string // etcd's, to what locks take; empty if it has none
}

func newServer(c config.Config, o Options, socket *listen.Listener, locks *leases.Service) *server {
	return &server{
		cfg: c, version: o.Version, log: o.Logger, socket: socket, locks: locks, started: o.started,
		objection: locks.Objection,
		accepted:  make(chan struct{}), served: make(chan struct{}),
		sessions: table{users: map[uint32]int{}, most: c.Limits.Sessions, mostOfUser: c.Limits.SessionsPerUser},
	}
}

// beginAnew ends serve, and has another server take over, which serves whoever
// connects after beginAnew has returned.
func (s *server) beginAnew() {
	s.anew.Do(func() { close(s.accepted) })
	<-s.served
}

// serve accepts until the context is done, the embedded member has stopped by
// itself, or a restore is accepted, which is errAccepted.
func (s *server) serve(ctx context.Context, member *embedded.Server) error {
	defer close(s.served)
	ctx, cancel := context.WithCancelCause(ctx)
	var memberDone <-chan struct{}
	if member != nil {
		memberDone = member.Done()
	}
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel(nil)
	watching.Go(func() {
		select {
		case <-memberDone:
			cancel(errMember)
		case <-s.accepted:
			cancel(errAccepted)
		case <-ctx.Done():
		}
	})
	for {
		conn, err := s.socket.Accept(ctx)
		switch {
		case err == nil:
			s.welcome(conn)
		case errors.Is(context.Cause(ctx), errMember), errors.Is(context.Cause(ctx), errAccepted):
			return context.Cause(ctx)
		case ctx.Err() != nil:
			return nil
		default:
			return fmt.Errorf("accept: %w", err)
		}
	}
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
		defer s.sessions.leave(uid)
		s.attend(c)
	})
}

// attend runs one session from its first byte to its last.
func (s *server) attend(c *conn) {
	defer c.Close()
	n := s.begin(c)
	if n == nil {
		return
	}
	defer n.end()
	n.serve()
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

// table counts the sessions, in all and of each user, against the limits (P11).
type table struct {
	most, mostOfUser int
	wait             sync.WaitGroup // every session

	mu    sync.Mutex // guards what follows
	all   int
	users map[uint32]int
}

func (t *table) enter(uid uint32) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.all >= t.most:
		return ipc.ErrLimit.WithText("this daemon has at most %d sessions", t.most)
	case t.users[uid] >= t.mostOfUser:
		return ipc.ErrLimit.WithText("a user has at most %d sessions", t.mostOfUser)
	}
	t.all++
	t.users[uid]++
	return nil
}

func (t *table) leave(uid uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all--
	if t.users[uid]--; t.users[uid] == 0 {
		delete(t.users, uid)
	}
}
