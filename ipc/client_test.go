package ipc_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"lockside/ipc"
)

// wantCause waits until a lock's context ends.
func wantCause(t *testing.T, l *ipc.Lock, want error) error {
	t.Helper()
	receive(t, l.Context().Done())
	cause := context.Cause(l.Context())
	if !errors.Is(cause, want) {
		t.Errorf("the cause is %v, want %v", cause, want)
	}
	return cause
}

func TestLockAndUnlock(t *testing.T) {
	s := serve(t, nil)
	c := s.dial()
	l, err := c.Lock(t.Context(), "the job", ipc.Wait(1500*time.Millisecond), ipc.TTL(time.Minute), ipc.Owner("me"))
	if err != nil {
		t.Fatal(err)
	}
	s.want("LOCK the%20job wait=1.5s ttl=60s owner=me")
	s.want("CHECK the%20job")
	if l.Fence() != 8001 || l.Name() != "the job" || l.Lease() != 0x694d99 || l.TTL() != 15*time.Second || l.Key() != "lockside/the job/694d99-0" {
		t.Errorf("fence %d, name %q, lease %x, ttl %v, key %q", l.Fence(), l.Name(), l.Lease(), l.TTL(), l.Key())
	}
	if left := l.Left(); left <= 0 || left > 12*time.Second || l.Context().Err() != nil {
		t.Errorf("a lock just taken has %v left, %v", left, l.Context().Err())
	}
	if err := l.Unlock(t.Context()); err != nil {
		t.Error(err)
	}
	s.want("UNLOCK the%20job fence=8001")
	wantCause(t, l, ipc.ErrReleased)
	if err := l.Unlock(t.Context()); !errors.Is(err, ipc.ErrReleased) || l.Left() != 0 {
		t.Errorf("unlocked again: %v, %v left", err, l.Left())
	}
	if c.Host() != "web-3" {
		t.Errorf("host %q", c.Host())
	}
}

func TestLockAll(t *testing.T) {
	s := serve(t, nil)
	l := lock(t, s.dial(), "b", "a")
	s.want("LOCK b a")
	if want := []string{"lockside/b/694d99-0", "lockside/a/694d99-0"}; !reflect.DeepEqual(l.Keys(), want) || !reflect.DeepEqual(l.Names(), []string{"b", "a"}) {
		t.Errorf("names %q, keys %q", l.Names(), l.Keys())
	}
	if err := l.Unlock(t.Context()); err != nil {
		t.Error(err)
	}
	s.want("CHECK b")
	s.want("UNLOCK b a fence=8001")
}

func TestConnectionsAreUsedAgainButNeverShared(t *testing.T) {
	s := serve(t, nil)
	c := s.dial()
	for range 3 {
		if err := lock(t, c, "a").Unlock(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.accepted.Load(); got != 1 {
		t.Errorf("%d connections for one lock after the other, want 1", got)
	}
	lock(t, c, "a")
	lock(t, c, "b")
	if got := s.accepted.Load(); got != 2 {
		t.Errorf("%d connections for two locks at once, want 2", got)
	}
}

// TestIdleConnectionsAreKeptForAWhile: many locks at once, again and again, need no
// new connections; those that are needed no more end one by one.
func TestIdleConnectionsAreKeptForAWhile(t *testing.T) {
	clock := new(manual)
	clock.Advance(time.Minute)
	s := serve(t, (&booted{clock: clock}).answer)
	c := s.dial(ipc.WithClock(clock.Now))
	const many = 20
	for range 3 {
		var held []*ipc.Lock
		for range many {
			held = append(held, lock(t, c, "a"))
		}
		for _, l := range held {
			if err := l.Unlock(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := s.accepted.Load(); got != many {
		t.Errorf("%d connections for %d locks at once, again and again", got, many)
	}
	clock.Advance(time.Hour)
	for range many - 1 {
		if err := lock(t, c, "a").Unlock(t.Context()); err != nil {
			t.Fatal(err)
		}
		receive(t, s.ended)
	}
	if err := lock(t, c, "a").Unlock(t.Context()); err != nil || len(s.ended) > 0 {
		t.Errorf("the connection in use has ended, or %v", err)
	}
}

func TestRefusalsReachTheCaller(t *testing.T) {
	for _, want := range ipc.Errors() {
		s := serve(t, func(s *session, line string) bool {
			if !strings.HasPrefix(line, "LOCK") {
				return false
			}
			s.send("ERR " + string(want.Code) + " because of  that")
			return true
		})
		_, err := s.dial().Lock(t.Context(), "nightly", ipc.Try())
		got, ok := errors.AsType[*ipc.Error](err)
		if !errors.Is(err, want) || !ok || got.Text != "because of  that" || !strings.HasPrefix(err.Error(), "lock nightly: ") {
			t.Errorf("got %v, want %s", err, want.Code)
		}
		s.want("LOCK nightly wait=0s")
	}
}

func TestWhatBreaksARuleIsNotSent(t *testing.T) {
	s := serve(t, nil)
	c := s.dial()
	long := strings.Repeat("ü", ipc.MaxName/2)
	for _, names := range [][]string{{}, {""}, {"a", "a"}, {"a\n"}, {"\xff"}, {long + "x"}} {
		if _, err := c.LockAll(t.Context(), names); !errors.Is(err, ipc.ErrBadRequest) {
			t.Errorf("LockAll(%.20q): %v, want bad-request", names, err)
		}
	}
	if _, err := c.Lock(t.Context(), "a", ipc.TTL(time.Second/2)); !errors.Is(err, ipc.ErrBadRequest) {
		t.Errorf("a TTL of half a second: %v, want bad-request", err)
	}
	var many []string
	for i := range ipc.MaxNames {
		many = append(many, long[:len(long)-2]+string(rune('A'+i)))
	}
	if _, err := c.LockAll(t.Context(), many); !errors.Is(err, ipc.ErrTooLong) {
		t.Errorf("a line too long: %v, want too-long", err)
	}
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	s.want("PING")
}

func TestCloseEndsEverything(t *testing.T) {
	s := serve(t, func(_ *session, line string) bool { return line == "LOCK waits" })
	c := s.dial()
	l := lock(t, c, "held")
	var waiter sync.WaitGroup
	waiter.Go(func() {
		if _, err := c.Lock(context.Background(), "waits"); !errors.Is(err, ipc.ErrClosed) {
			t.Errorf("the waiter got %v, want %v", err, ipc.ErrClosed)
		}
	})
	s.want("LOCK held")
	s.want("CHECK held")
	s.want("LOCK waits")
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	waiter.Wait()
	wantCause(t, l, ipc.ErrClosed)
	if _, err := c.Lock(t.Context(), "a"); !errors.Is(err, ipc.ErrClosed) {
		t.Errorf("a lock of a closed client: %v", err)
	}
	if err := l.Unlock(t.Context()); !errors.Is(err, ipc.ErrClosed) {
		t.Errorf("an unlock at a closed client: %v", err)
	}
}

func TestAnIdleConnectionThatEndedIsNotUsed(t *testing.T) {
	s := serve(t, func(s *session, line string) bool {
		if line == "PING" {
			s.send("OK", "! LOST reason=shutdown")
			s.socket.Close()
			return true
		}
		return false
	})
	c := s.dial()
	if err := c.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	receive(t, s.ended)
	// The client may still be about to read the end; then the lock is told.
	for {
		if _, err := c.Lock(t.Context(), "a"); err == nil {
			break
		} else if !errors.Is(err, ipc.ErrLost) {
			t.Fatal(err)
		}
	}
}

func TestManyLocksAtOnce(t *testing.T) {
	s := serve(t, nil)
	c := s.dial()
	var all sync.WaitGroup
	for i := range 8 {
		name := string(rune('a' + i))
		all.Go(func() {
			for range 50 {
				l, err := c.Lock(t.Context(), name)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := l.Check(t.Context()); err != nil {
					t.Error(err)
				}
				if err := l.Unlock(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestDialSaysWhatIsWrong(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "sock")
	if _, err := ipc.Dial(t.Context(), missing); err == nil || !strings.Contains(err.Error(), "is locksided running?") {
		t.Errorf("no socket: %v", err)
	}
	if _, err := ipc.Dial(t.Context(), "/"+strings.Repeat("x", 107)); err == nil || !strings.Contains(err.Error(), "at most 107") {
		t.Errorf("a path too long: %v", err)
	}
	for hello, want := range map[string]string{
		"OK lockside=2":          "version 2",
		"ERR draining come back": "draining",
		"220 mail.example ESMTP": "garbled",
	} {
		s := serve(t, func(s *session, _ string) bool { s.send(hello); return true })
		if _, err := ipc.Dial(t.Context(), s.path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("greeted %q: %v, want %q", hello, err, want)
		}
	}
}

func TestDialOfASilentDaemonEndsWithItsContext(t *testing.T) {
	s := serve(t, func(*session, string) bool { return true })
	gone := errors.New("gone")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, gone)
	defer cancel()
	if _, err := ipc.Dial(ctx, s.path); !errors.Is(err, gone) {
		t.Errorf("got %v, want the context's cause", err)
	}
}

func TestSocketPathComesFromTheEnvironment(t *testing.T) {
	s := serve(t, nil)
	t.Setenv(ipc.SocketVariable, "")
	if got := ipc.SocketPath(); got != ipc.DefaultSocket {
		t.Errorf("got %q", got)
	}
	t.Setenv(ipc.SocketVariable, s.path)
	c, err := ipc.Dial(t.Context(), "", ipc.DefaultOwner("the job"))
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
