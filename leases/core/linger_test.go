package core

import (
	"errors"
	"testing"
	"time"
)

// deadlineOver has session 1 hold "x" and "y", the latter on a lease of twice the
// TTL, and session 2 wait for both on that one; then the first lease's deadline
// comes. It returns the moment at which that lease may end in etcd.
func deadlineOver(b *bench) (deadline time.Duration) {
	const long = 2 * benchTTL
	deadline = b.now + benchTTL
	b.hold(1, 10, "x")
	b.step(Lock{Session: 1, Names: []string{"y"}, TTL: long, Wait: Forever})
	second := take[GrantLease](b).Lease
	b.step(LeaseGranted{second, long, b.now, false})
	b.step(LeaseFenced{second, 11})
	b.step(BatchApplied{take[Commit](b).Batch.ID, 12, [][]Key{nil}})
	take[Granted](b)
	b.step(Open{2})
	b.step(Lock{Session: 2, Names: []string{"x", "y"}, TTL: long, Wait: Forever})
	y := b.m.queues["y"].entries[0].key
	b.step(BatchApplied{take[Commit](b).Batch.ID, 13, [][]Key{{key(b.mine(0), 10)}, {key(y, 12)}}})
	b.now = deadline - b.m.cfg.Margin(benchTTL)
	b.step(Tick{})
	if l := take[Lost](b); l.Session != 1 || l.Reason != DeadlineOver {
		b.t.Fatalf("lost %+v", l)
	}
	none[RevokeLease](b)
	none[Commit](b)
	none[Granted](b)
	return deadline
}

// TestPromise03TheMarginIsTheClients: what a deadline has ended stays, on every
// lease of the session and for waiters of this host too, until the margin is over.
func TestPromise03TheMarginIsTheClients(t *testing.T) {
	b := newBench(t)
	deadline := deadlineOver(b)
	b.step(Open{3})
	b.step(Lock{Session: 3, Names: []string{"x"}, TTL: 2 * benchTTL})
	if r := take[Refused](b); r.Session != 3 || !errors.Is(r.Err, ErrBusy) {
		t.Errorf("a try meanwhile: %+v", r)
	}
	b.now = deadline - 1
	b.step(Tick{})
	none[RevokeLease](b)
	none[Commit](b)
	none[Granted](b)
	b.now = deadline
	b.step(Tick{})
	if r := take[RevokeLease](b); r.Lease != b.lease {
		t.Errorf("revokes %+v", r)
	}
	if drops := take[Commit](b).Batch.Drops; len(drops) != 1 || drops[0].Created != 12 {
		t.Errorf("deletes %+v", drops)
	}
	if g := take[Granted](b); g.Session != 2 || g.Fence != 13 {
		t.Errorf("granted %+v", g)
	}
}

// TestLingeringEndsWithTheLease: a lease that somebody else has revoked meanwhile
// is struck out like any other, once.
func TestLingeringEndsWithTheLease(t *testing.T) {
	b := newBench(t)
	deadline := deadlineOver(b)
	b.step(LeaseEnded{b.lease})
	take[RevokeLease](b)
	b.step(LeaseEnded{b.lease})
	b.now = deadline
	b.step(Tick{})
	none[RevokeLease](b)
	if b.m.leases[b.lease] != nil {
		t.Error("the lease is remembered")
	}
}

// TestLingeringOutlivesADrain: a daemon that stops does not take the margin from
// clients that it has cut off just before, on none of its leases.
func TestLingeringOutlivesADrain(t *testing.T) {
	b := newBench(t)
	deadline := deadlineOver(b)
	b.step(Drain{})
	fresh := take[RevokeLease](b).Lease // that was asked for in place of the first
	if len(b.m.leases[fresh].entries) > 0 {
		t.Errorf("%x is revoked, with entries", fresh)
	}
	b.step(LeaseEnded{fresh})
	none[RevokeLease](b)
	b.now = deadline
	b.step(Tick{})
	for range 2 {
		b.step(LeaseEnded{take[RevokeLease](b).Lease})
	}
	if !b.m.Drained() {
		t.Errorf("not drained: %+v", b.m.Status())
	}
}

// TestNothingLingersPastTheDeadline: after a long sleep everything is given back
// at once.
func TestNothingLingersPastTheDeadline(t *testing.T) {
	b := newBench(t)
	b.hold(1, 10, "x")
	b.now += benchTTL
	b.step(Tick{})
	take[Lost](b)
	take[RevokeLease](b)
}
