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
	told           *record
	holder, waiter *client
	first, second  string // who they are in the record
	held           grant
}

// newSuccession waits until the lock is held and waited for.
func newSuccession(t testing.TB, name string, told *record, from, to *host) *succession {
	t.Helper()
	s := &succession{t: t, name: name, told: told, first: told.client("holder"), second: told.client("waiter")}
	told.asks(s.first, from.config.Host, name)
	s.holder, s.held = from.lock(t, name)
	told.granted(s.first, s.held, name)
	told.use(s.first, name, s.held.fence)
	told.asks(s.second, to.config.Host, name)
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
	s.told.lost(s.first, reason)
	s.told.closing(s.second)
	s.waiter.hangUp()
	return true
}

// passes waits until the lock was lost, for one of the reasons, and granted to
// the waiter, and returns when each was. What the holder writes then comes too
// late.
func (s *succession) passes(reasons ...ipc.Reason) (ended, granted time.Duration) {
	s.t.Helper()
	var wait sync.WaitGroup
	wait.Go(func() {
		reason := s.holder.lost(reasons...)
		ended = now()
		s.told.lost(s.first, reason)
	})
	next := s.waiter.granted()
	granted = now()
	s.told.granted(s.second, next, s.name)
	s.told.use(s.second, s.name, next.fence)
	wait.Wait()
	s.told.use(s.first, s.name, s.held.fence)
	return ended, granted
}

// finish gives the lock up.
func (s *succession) finish() {
	s.t.Helper()
	s.told.unlocking(s.second, s.name)
	s.waiter.unlock(s.name)
	s.told.unlocked(s.second, s.name)
	s.waiter.hangUp()
}
