package ipc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockside/ipc"
)

// A booted is a daemon whose boot clock is ahead of the client's by a shift, and
// whose answers take their time. What it grants is safe for ten seconds.
type booted struct {
	clock        *manual
	shift        time.Duration
	hello, grant time.Duration // how long these answers take
}

func (b *booted) answer(s *session, line string) bool {
	moment := func(after time.Duration) string {
		return fmt.Sprintf("%.3fs", (b.clock.Now() + b.shift + after).Seconds())
	}
	switch verb, _, _ := strings.Cut(line, " "); verb {
	case "HELLO":
		reply := "OK lockside=1 host=web-3 session=1 clock=" + moment(0)
		b.clock.Advance(b.hello)
		s.send(reply)
	case "LOCK":
		reply := "OK fence=8001 lease=694d99 ttl=15s key=k until=" + moment(10*time.Second)
		b.clock.Advance(b.grant)
		s.send(reply)
	case "CHECK":
		s.send("OK fence=8001 left=6s until=" + moment(6*time.Second))
	default:
		return false
	}
	return true
}

func TestGrantTellsTheDeadline(t *testing.T) {
	for _, test := range []struct {
		name         string
		shift, hello time.Duration
		left         time.Duration
		asks         bool
	}{
		{"one clock", 0, 0, 10 * time.Second, false},
		{"one clock, slow answer", 0, 50 * time.Millisecond, 10 * time.Second, false},
		{"one clock, too slow to tell", 0, time.Second, 6 * time.Second, true},
		{"ahead", time.Hour, 0, 6 * time.Second, true},
		{"ahead by little", 60 * time.Millisecond, 50 * time.Millisecond, 6 * time.Second, true},
		{"behind", -30 * time.Second, 0, 6 * time.Second, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			clock := new(manual)
			clock.Advance(time.Minute)
			s := serve(t, (&booted{clock: clock, shift: test.shift, hello: test.hello}).answer)
			l := lock(t, s.dial(ipc.WithClock(clock.Now)), "nightly")
			if got := l.Left(); got != test.left {
				t.Errorf("%v left, want %v", got, test.left)
			}
			s.want("LOCK nightly")
			if test.asks {
				s.want("CHECK nightly")
			}
			if err := l.Unlock(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.want("UNLOCK nightly fence=8001")
		})
	}
}

// TestGrantThatCameTooLate: a client that slept between the grant and reading it
// holds nothing.
func TestGrantThatCameTooLate(t *testing.T) {
	clock := new(manual)
	clock.Advance(time.Minute)
	s := serve(t, (&booted{clock: clock, grant: 11 * time.Second}).answer)
	_, err := s.dial(ipc.WithClock(clock.Now)).Lock(t.Context(), "nightly")
	if lost, ok := errors.AsType[*ipc.LostError](err); !ok || lost.Reason != ipc.ReasonClientDeadline {
		t.Errorf("error %v", err)
	}
	s.want("LOCK nightly")
	s.want("UNLOCK nightly")
}

// TestLaterMomentsExtend: CHECK moves the deadline by the daemon's moments too.
func TestLaterMomentsExtend(t *testing.T) {
	clock := new(manual)
	clock.Advance(time.Minute)
	s := serve(t, (&booted{clock: clock}).answer)
	l := lock(t, s.dial(ipc.WithClock(clock.Now)), "nightly")
	clock.Advance(7 * time.Second)
	left, err := l.Check(t.Context())
	if err != nil || left != 6*time.Second {
		t.Errorf("%v left, want 6s; error %v", left, err)
	}
}

// TestMarginIsTheDaemons: HELLO tells a margin that does not go by the TTL.
func TestMarginIsTheDaemons(t *testing.T) {
	for field, want := range map[string]time.Duration{"": 2500 * time.Millisecond, " margin=700ms": 700 * time.Millisecond} {
		s := serve(t, func(s *session, line string) bool {
			switch verb, _, _ := strings.Cut(line, " "); verb {
			case "HELLO":
				s.send("OK lockside=1 host=web-3 session=1" + field)
			case "LOCK":
				s.send("OK fence=8001 lease=694d99 ttl=15s key=k")
			default:
				return false
			}
			return true
		})
		if got := lock(t, s.dial(), "nightly").Margin(); got != want {
			t.Errorf("HELLO tells %q: the margin is %v, want %v", field, got, want)
		}
	}
}
