package ipc_test

import (
	"strings"
	"testing"
	"time"

	"lockside/ipc"
)

// checks hands out the sessions that asked CHECK, unanswered.
func checks(asked chan<- *session) script {
	return func(s *session, line string) bool {
		if !strings.HasPrefix(line, "CHECK") {
			return false
		}
		asked <- s
		return true
	}
}

// lockWith takes a lock whose first CHECK is answered by the given time left,
// after the clock has moved by took.
func lockWith(t *testing.T, s *server, asked <-chan *session, clock *manual, left string, took time.Duration) *ipc.Lock {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		first := <-asked
		clock.Advance(took)
		first.send("OK fence=8001 left=" + left)
	}()
	l := lock(t, s.dial(ipc.WithClock(clock.Now)), "nightly")
	receive(t, done)
	return l
}

func TestDeadlineCountsFromWhenCheckWasSent(t *testing.T) {
	clock, asked := new(manual), make(chan *session, 1)
	s := serve(t, checks(asked))
	l := lockWith(t, s, asked, clock, "10s", 3*time.Second)
	if got := l.Left(); got != 7*time.Second {
		t.Errorf("%v left, want 7s", got)
	}
}

func TestStoppedDaemonIsNoticed(t *testing.T) {
	clock, asked := new(manual), make(chan *session, 10)
	s := serve(t, checks(asked))
	l := lockWith(t, s, asked, clock, "9s", 0)
	clock.Advance(3 * time.Second)
	receive(t, asked) // asked a third of the way, and not answered
	clock.Advance(6*time.Second - 1)
	time.Sleep(2 * ipc.Tick)
	if l.Context().Err() != nil || l.Left() != 1 {
		t.Fatalf("lost before the deadline, %v left", l.Left())
	}
	clock.Advance(1)
	passed := time.Now()
	wantReason(t, l, ipc.ReasonClientDeadline)
	t.Logf("noticed after %v", time.Since(passed))
	receive(t, s.ended)
	if took := time.Since(passed); took < l.Margin() {
		t.Errorf("the daemon could give the name away %v after the loss; the margin is %v", took, l.Margin())
	}
	if len(asked) > 0 {
		t.Error("asked again before the answer")
	}
}

func TestAnswersExtendTheDeadline(t *testing.T) {
	clock, asked := new(manual), make(chan *session, 10)
	s := serve(t, checks(asked))
	l := lockWith(t, s, asked, clock, "3s", 0)
	for range 5 {
		clock.Advance(time.Second)
		receive(t, asked).send("OK fence=8001 left=3s")
		for l.Left() != 3*time.Second {
			if l.Context().Err() != nil {
				t.Fatal("lost although the daemon answered")
			}
			time.Sleep(time.Millisecond)
		}
	}
	deadline := clock.Now() + l.Left()
	for _, answer := range []string{
		"ERR internal an error of the daemon's own", // says nothing about the lock
		"OK fence=8001 left=0.001s",                 // allows less than is known
		"OK fence=8001 left=0.001s",
	} {
		advanceUntilAsked(t, clock, asked).send(answer)
		if got := clock.Now() + l.Left(); got != deadline {
			t.Errorf("after %q the deadline is %v, want %v", answer, got, deadline)
		}
	}
}

// advanceUntilAsked moves the clock in small steps to the next CHECK.
func advanceUntilAsked(t *testing.T, clock *manual, asked <-chan *session) *session {
	t.Helper()
	for range int(patience / time.Millisecond) {
		select {
		case s := <-asked:
			return s
		case <-time.After(time.Millisecond):
			clock.Advance(time.Millisecond)
		}
	}
	t.Fatal("the daemon was not asked again")
	return nil
}

func TestLateAnswerRevivesNothing(t *testing.T) {
	clock, asked := new(manual), make(chan *session, 10)
	s := serve(t, checks(asked))
	l := lockWith(t, s, asked, clock, "9s", 0)
	clock.Advance(3 * time.Second)
	late := receive(t, asked)
	clock.Advance(6 * time.Second)
	late.send("OK fence=8001 left=9s")
	wantReason(t, l, ipc.ReasonClientDeadline)
}

func TestNotHeldIsALoss(t *testing.T) {
	clock, asked := new(manual), make(chan *session, 10)
	s := serve(t, checks(asked))
	l := lockWith(t, s, asked, clock, "9s", 0)
	clock.Advance(3 * time.Second)
	receive(t, asked).send("ERR not-held this session does not hold the name")
	wantReason(t, l, ipc.ReasonNotHeld)
	receive(t, s.ended)
}

func TestBootClockRuns(t *testing.T) {
	s := serve(t, nil)
	l := lock(t, s.dial(), "nightly")
	before := l.Left()
	time.Sleep(5 * time.Millisecond)
	if after := l.Left(); after > before-5*time.Millisecond {
		t.Errorf("%v left, then %v", before, after)
	}
}
