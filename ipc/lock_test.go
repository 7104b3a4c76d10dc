package ipc_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lockside/ipc"
)

func TestLossEndsTheContext(t *testing.T) {
	for what, reason := range map[string]ipc.Reason{
		"! LOST reason=lease-revoked": ipc.ReasonLeaseRevoked,
		"! LOST reason=something-new": "something-new",
		"! HOLDER name=a\n":           ipc.ReasonEOF, // an event that is ignored
		"HTTP/1.1 400 Bad Request":    ipc.ReasonGarbled,
		"OK nobody=asked":             ipc.ReasonGarbled,
		strings.Repeat("x", 9000):     ipc.ReasonGarbled,
		"! LOST reason=":              "",
	} {
		held := make(chan *session, 1)
		s := serve(t, func(s *session, line string) bool {
			if strings.HasPrefix(line, "CHECK") {
				held <- s
			}
			return false
		})
		c := s.dial()
		l := lock(t, c, "nightly")
		other := receive(t, held)
		kept := lock(t, c, "weekly")
		if text, ok := strings.CutSuffix(what, "\n"); ok {
			other.send(text)
		} else {
			other.send(what)
		}
		other.socket.Close()
		wantReason(t, l, reason)
		if err := l.Unlock(t.Context()); !errors.Is(err, ipc.ErrLost) {
			t.Errorf("unlocked after the loss: %v", err)
		}
		if _, err := l.Check(t.Context()); !errors.Is(err, ipc.ErrLost) || l.Left() != 0 {
			t.Errorf("checked after the loss: %v, %v left", err, l.Left())
		}
		if kept.Context().Err() != nil {
			t.Error("the loss ended another lock")
		}
	}
}

func TestContextOfTheLockOutlivesTheCallers(t *testing.T) {
	type key struct{}
	s := serve(t, nil)
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	l, err := s.dial().Lock(ctx, "nightly")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if l.Context().Err() != nil || l.Context().Value(key{}) != "value" {
		t.Error("the lock's context ended with the caller's, or lost its values")
	}
}

func TestCancelledWaitLeavesTheQueue(t *testing.T) {
	s := serve(t, func(s *session, line string) bool {
		switch line {
		case "LOCK nightly":
		case "CANCEL":
			s.send("ERR cancelled the wait was cancelled", "OK cancelled=1")
		default:
			return false
		}
		return true
	})
	c := s.dial()
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-s.lines // the LOCK
		cancel(gone)
	}()
	if _, err := c.Lock(ctx, "nightly"); !errors.Is(err, gone) {
		t.Errorf("got %v, want the context's cause", err)
	}
	s.want("CANCEL")
	lock(t, c, "weekly")
	if got := s.accepted.Load(); got != 1 {
		t.Errorf("%d connections: the one that waited was not kept", got)
	}
	if _, err := c.Lock(ctx, "nightly"); !errors.Is(err, gone) {
		t.Errorf("a context that had ended: %v", err)
	}
}

func TestGrantThatCrossesACancelIsReleased(t *testing.T) {
	s := serve(t, func(s *session, line string) bool {
		switch line {
		case "LOCK nightly":
		case "CANCEL":
			s.answer("LOCK nightly")
			s.send("OK cancelled=0")
		default:
			return false
		}
		return true
	})
	c := s.dial()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.lines
		cancel()
	}()
	if _, err := c.Lock(ctx, "nightly"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a cancelled context", err)
	}
	s.want("CANCEL")
	s.want("UNLOCK nightly")
}

func TestCancelOfASilentDaemonClosesTheConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ *session, line string) bool { return !strings.HasPrefix(line, "HELLO") })
	c := s.dial()
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan time.Time, 1)
	go func() {
		<-s.lines
		cancelled <- time.Now()
		cancel()
	}()
	_, err := c.Lock(ctx, "nightly")
	if took := time.Since(<-cancelled); !errors.Is(err, context.Canceled) || took < ipc.CancelGrace {
		t.Errorf("got %v after %v", err, took)
	}
	receive(t, s.ended)
}

func TestUnlockThatFailsClosesTheConnection(t *testing.T) {
	s := serve(t, func(s *session, line string) bool {
		if !strings.HasPrefix(line, "UNLOCK") {
			return false
		}
		s.send("ERR unavailable etcd does not answer")
		return true
	})
	l := lock(t, s.dial(), "nightly")
	if err := l.Unlock(t.Context()); !errors.Is(err, ipc.ErrUnavailable) {
		t.Errorf("got %v, want unavailable", err)
	}
	wantCause(t, l, ipc.ErrReleased)
	receive(t, s.ended)
}

func TestCheckWithoutAnAnswerKeepsTheLock(t *testing.T) {
	late := make(chan *session, 1)
	s := serve(t, func(s *session, line string) bool {
		if strings.HasSuffix(line, "verify") {
			late <- s
			return true
		}
		return false
	})
	l := lock(t, s.dial(), "nightly")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := l.Verify(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's end", err)
	}
	if _, err := l.Check(ctx); !errors.Is(err, context.DeadlineExceeded) || l.Context().Err() != nil {
		t.Errorf("a second check: %v", err)
	}
	receive(t, late).send("ERR unavailable etcd does not answer")
	if left, err := l.Check(t.Context()); err != nil || left <= 0 {
		t.Errorf("after the late answer: %v left, %v", left, err)
	}
	if err := l.Unlock(t.Context()); err != nil {
		t.Error(err)
	}
}
