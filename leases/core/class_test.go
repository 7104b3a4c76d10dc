package core

import (
	"errors"
	"testing"
	"time"

	"lockside/leases/keys"
)

// TestMoreNamesThanALeaseTakes: a request of more names than are wanted on one
// lease gets a lease to itself.
func TestMoreNamesThanALeaseTakes(t *testing.T) {
	b := newBench(t)
	b.m.cfg.EntriesPerLease = 2
	b.hold(1, 10, "a")
	b.ask(2, Forever, "b", "c", "d")
	l := take[GrantLease](b)
	b.step(LeaseGranted{l.Lease, benchTTL, b.now, false})
	b.step(LeaseFenced{l.Lease, 11})
	none[GrantLease](b)
	if batch := take[Commit](b).Batch; len(batch.Puts) != 3 {
		t.Errorf("sent %+v", batch)
	}
}

// TestWindowHoldsAfterAWaitForTheLease: requests that had to wait for a lease
// move up by the window too, and in their order.
func TestWindowHoldsAfterAWaitForTheLease(t *testing.T) {
	b := newBench(t)
	for id := SessionID(1); id <= 40; id++ {
		b.step(Open{id})
		b.step(Lock{Session: id, Names: []string{"x"}, Wait: Forever, TTL: 2 * benchTTL})
	}
	b.step(Cancel{3})
	l := take[GrantLease](b)
	b.step(LeaseGranted{l.Lease, 2 * benchTTL, b.now, false})
	b.step(LeaseFenced{l.Lease, 2})
	q := b.m.queues["x"]
	if len(q.entries) != 16 || len(q.line) != 23 {
		t.Fatalf("%d entries, %d in line", len(q.entries), len(q.line))
	}
	for i, want := range []SessionID{1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17} {
		if got := q.entries[i].session.id; got != want {
			t.Errorf("entry %d is of session %d, not %d", i, got, want)
		}
	}
}

// TestWaitersWithoutALeaseAreCounted: the limit counts those that wait for a
// lease as well.
func TestWaitersWithoutALeaseAreCounted(t *testing.T) {
	b := newBench(t)
	b.m.cfg.WaitersPerName = 5
	for id := SessionID(1); id <= 6; id++ {
		b.step(Open{id})
		b.step(Lock{Session: id, Names: []string{"x"}, Wait: Forever, TTL: 2 * benchTTL})
	}
	if r := take[Refused](b); r.Session != 6 || !errors.Is(r.Err, ErrLimit) {
		t.Errorf("%+v", r)
	}
}

// TestWindowHoldsForSeveralNames: requests of several names stand in line for
// each that is crowded, and all are served.
func TestWindowHoldsForSeveralNames(t *testing.T) {
	b := newBench(t)
	b.m.cfg.Window = 3
	for id := SessionID(1); id <= 12; id++ {
		b.ask(id, Forever, [][]string{{"x", "y"}, {"y", "x"}, {"y", "z"}, {"z"}}[id%4]...)
	}
	etcd := newModel()
	etcd.dropped = func(string) {}
	etcd.grant(b.lease, time.Hour)
	etcd.put(keys.Epoch(modelPrefix, b.lease), b.lease)
	served := 0
	for len(b.last) > 0 {
		a := b.last[0]
		b.last = b.last[1:]
		switch a := a.(type) {
		case Commit:
			b.step(etcd.commit(a.Batch))
		case Granted:
			served++
			b.step(End{a.Session})
		}
		for name, q := range b.m.queues {
			if len(q.entries) > 6 { // a window may be passed before another line
				t.Fatalf("%d entries of %q", len(q.entries), name)
			}
		}
	}
	if served != 12 {
		t.Errorf("%d of 12 were served", served)
	}
}

// TestFreedRoomIsUsed: a request that waits for a further lease gets the room
// that another leaves on one that is there.
func TestFreedRoomIsUsed(t *testing.T) {
	b := newBench(t)
	b.m.cfg.EntriesPerLease = 2
	b.hold(1, 10, "a")
	b.hold(2, 11, "b")
	b.ask(3, Forever, "c")
	b.ask(4, Forever, "d")
	b.step(GrantFailed{take[GrantLease](b).Lease})
	b.step(End{1})
	b.step(BatchApplied{Batch: take[Commit](b).Batch.ID, Revision: 12})
	if batch := take[Commit](b).Batch; len(batch.Puts) != 1 || batch.Puts[0].Queue != "c" {
		t.Errorf("sent %+v", batch)
	}
	none[Commit](b)
}
