package daemon

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"lockside/systemd"
)

// A daemon that hangs must not keep its clients believing. Systemd kills it when it has
// given no sign of life for the margin of the shortest lease in use, less what the locks'
// side may be late by: whenever it began to hang, its clients then read end-of-file before
// that lease can end, since what was nearer to its end had been lost before (P3).
//
// A sign of life is no ticker of its own. It is given once a client has been accepted
// and served on the socket, and while the locks' side is not late with looking at its
// deadlines and with its renewals. None of this waits for etcd.

const (
	signsPerPatience = 4                      // so that one which is late is not taken for the end
	shortestPatience = time.Second            // of systemd, below which a busy host is taken for a hanging daemon
	statusEvery      = 5 * time.Second        // of the line for systemctl status
	mostOverdue      = 200 * time.Millisecond // by how much the locks' side may be late
)

// vital tells systemd that the daemon lives, and how it is.
type vital struct {
	systemd *systemd.Notifier
	most    time.Duration // between two signs of life, as the unit says; zero if nobody watches
	margin  func(ttl time.Duration) time.Duration
	sooner  chan struct{} // holds one once patience is shorter, for keepVital not to sleep on

	mu       sync.Mutex    // guards what follows
	patience time.Duration // as systemd was told last
	line     string        // as systemd was told last
}

func newVital(n *systemd.Notifier, margin func(time.Duration) time.Duration) *vital {
	return &vital{systemd: n, most: systemd.Watchdog(), margin: margin, sooner: make(chan struct{}, 1)}
}

// shorten has systemd be no more patient than a lease of a TTL allows. It is called
// before there can be one, and again once there is: lengthen may have come between.
func (v *vital) shorten(ttl time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if want := v.patienceFor(ttl); v.most > 0 && (v.patience == 0 || want < v.patience) {
		v.tellLocked(want)
		select {
		case v.sooner <- struct{}{}:
		default: // keepVital has not woken yet
		}
	}
}

// lengthen has systemd be as patient again as the shortest TTL in use allows.
func (v *vital) lengthen(shortest func() time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if want := v.patienceFor(shortest()); v.most > 0 && want > v.patience {
		v.tellLocked(want)
	}
}

func (v *vital) patienceFor(ttl time.Duration) time.Duration {
	return min(max(v.margin(ttl)-mostOverdue, shortestPatience), v.most)
}

// late reports whether a daemon that hangs may be killed only after leases of a TTL have
// ended, since systemd is never less patient than shortestPatience.
func (v *vital) late(ttl time.Duration) bool { return v.most > 0 && v.margin(ttl) < shortestPatience }

func (v *vital) tellLocked(patience time.Duration) {
	v.patience = patience
	v.systemd.Patience(patience)
}

// every is the time between two signs of life.
func (v *vital) every() time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.patience == 0 {
		return statusEvery
	}
	return v.patience / signsPerPatience
}

// keepVital gives signs of life until the context is done.
func (s *server) keepVital(ctx context.Context) {
	var told time.Duration // when the status was
	for {
		if now := s.locks.Now(); now-told >= statusEvery {
			told = now
			s.vital.lengthen(s.shortestTTL)
			s.tellStatus() // before there is a session of our own
		}
		every := s.vital.every()
		if s.vital.most > 0 {
			s.giveSign(ctx, every)
		}
		select {
		case <-time.After(every):
		case <-s.vital.sooner:
		case <-ctx.Done():
			return
		}
	}
}

// giveSign feeds the watchdog, or says why not.
func (s *server) giveSign(ctx context.Context, within time.Duration) {
	if err := s.alive(ctx, within); err == nil {
		s.vital.systemd.Alive()
	} else if ctx.Err() == nil {
		s.log.Error("No sign of life", "error", err)
	}
}

// alive proves that clients are served, and that locks are true to time.
func (s *server) alive(ctx context.Context, within time.Duration) error {
	if late := s.locks.Overdue(); late > mostOverdue {
		return fmt.Errorf("locks are late by %v", late)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", s.socket.Path())
	if err != nil {
		return fmt.Errorf("connect to own socket: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if _, err := conn.Write([]byte("PING\n")); err != nil {
		return fmt.Errorf("ask on own socket: %w", err)
	}
	if _, err := bufio.NewReader(conn).ReadSlice('\n'); err != nil { // that all places are taken is an answer too
		return fmt.Errorf("hear on own socket: %w", err)
	}
	return nil
}

// shortestTTL is that of the leases that there are, or are asked for, or the default.
func (s *server) shortestTTL() time.Duration {
	shortest := s.cfg.TTL
	for _, l := range s.locks.Status().Locks.Leases {
		shortest = min(shortest, l.Asked)
	}
	return shortest
}

// tellStatus gives systemctl a line, if it is another one than before.
func (s *server) tellStatus() {
	st := s.locks.Status()
	line := fmt.Sprintf("etcd: %s; %d sessions hold %d locks and wait for %d, on %d leases",
		health(st, s.objection()), st.Locks.Sessions, st.Locks.Held, st.Locks.Waiting, len(st.Locks.Leases))
	s.vital.mu.Lock()
	defer s.vital.mu.Unlock()
	if line != s.vital.line {
		s.vital.line = line
		s.vital.systemd.Status(line)
	}
}
