package faults_test

import (
	"sync"
	"testing"
	"time"

	"lockside/ipc"
)

// A succession is a lock that is held at one host, which is about to lose it,
// and waited for at another.
type succession struct {
	t              testing.TB
	name           string
	told           *history
	holder, waiter *client
	held           grant
}

// newSuccession waits until the lock is held and waited for. The history is the
// name's.
func newSuccession(t testing.TB, name string, told *history, from, to *host) *succession {
	t.Helper()
	s := &succession{t: t, name: name, told: told}
	s.holder, s.held = from.lock(t, name)
	told.enter("the holder", s.held.fence)
	s.waiter = to.wait(t, name)
	return s
}

// early waits and reports whether the lock was lost in the meantime.
func (s *succession) early(within time.Duration) bool {
	s.t.Helper()
	if !s.holder.ends(within) {
		return false
	}
	reason, err := s.holder.end()
	s.t.Logf("%s was lost by %q, %v", s.name, reason, err)
	s.told.leave("the holder")
	s.waiter.hangUp()
	return true
}

// passes waits until the lock was lost, for one of the reasons, and granted to
// the waiter, and returns when each was.
func (s *succession) passes(reasons ...ipc.Reason) (ended, granted time.Duration) {
	s.t.Helper()
	var wait sync.WaitGroup
	wait.Go(func() {
		s.holder.lost(reasons...)
		ended = now()
		s.told.leave("the holder")
	})
	next := s.waiter.granted()
	granted = now()
	s.told.enter("the waiter", next.fence)
	wait.Wait()
	return ended, granted
}

// finish gives the lock up.
func (s *succession) finish() {
	s.t.Helper()
	s.told.leave("the waiter")
	s.waiter.unlock(s.name)
	s.waiter.hangUp()
}
