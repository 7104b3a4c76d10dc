package core

import (
	"slices"
	"testing"
	"time"

	"lockside/leases/keys"
)

// A bench is a machine whose answers a test gives by hand, one ready lease on it.
type bench struct {
	t     *testing.T
	m     *Machine
	now   time.Duration
	last  []Action
	lease int64
}

const benchTTL = 12 * time.Second // the margin is two seconds

func newBench(t *testing.T) *bench {
	b := &bench{t: t, now: time.Minute, lease: 0x100}
	next := b.lease - 1
	b.m = New(Config{DefaultTTL: benchTTL, Prefix: modelPrefix, LeaseID: func() int64 { next++; return next }})
	b.step(Tick{})
	take[GrantLease](b)
	b.step(LeaseGranted{b.lease, benchTTL, b.now, false})
	take[FenceLease](b)
	b.step(LeaseFenced{b.lease, 1})
	return b
}

// step feeds an event and keeps what came of it.
func (b *bench) step(ev Event) {
	b.last = append(b.last, b.m.Step(b.now, ev)...)
}

// take finds the first action of a kind among those that nobody took, or fails
// the test.
func take[A Action](b *bench) A {
	b.t.Helper()
	for i, a := range b.last {
		if a, ok := a.(A); ok {
			b.last = slices.Delete(b.last, i, i+1)
			return a
		}
	}
	var none A
	b.t.Fatalf("no %T among %+v", none, b.last)
	return none
}

// none fails the test if an action of a kind was emitted.
func none[A Action](b *bench) {
	b.t.Helper()
	for _, a := range b.last {
		if a, ok := a.(A); ok {
			b.t.Fatalf("unexpected %T %+v", a, a)
		}
	}
}

// lock begins a session that waits for "x", and returns the batch that enqueues it.
func (b *bench) lock(id SessionID, wait time.Duration) *Batch {
	b.t.Helper()
	b.step(Open{id})
	b.step(Lock{Session: id, Names: []string{"x"}, Wait: wait})
	return take[Commit](b).Batch
}

// lockBehind is lock when others are in the queue, which was taken to be empty.
func (b *bench) lockBehind(id SessionID, others ...Key) *Batch {
	b.t.Helper()
	first := b.lock(id, Forever)
	if !first.Puts[0].Empty {
		b.t.Fatalf("%+v does not need an empty queue", first.Puts[0])
	}
	b.step(BatchRefused{first.ID, others[len(others)-1].Created, first.Epoch, [][]Key{others}})
	return take[Commit](b).Batch
}

// ask begins a session that asks for names, without looking at what comes of it.
func (b *bench) ask(id SessionID, wait time.Duration, names ...string) {
	b.step(Open{id})
	b.step(Lock{Session: id, Names: names, Wait: wait})
}

// hold has a session hold names by a revision.
func (b *bench) hold(id SessionID, revision int64, names ...string) {
	b.t.Helper()
	b.ask(id, Forever, names...)
	b.step(BatchApplied{take[Commit](b).Batch.ID, revision, make([][]Key, len(names))})
	take[Granted](b)
}

// mine is the key of an entry of the bench's lease, foreign that of a mutex.
func (b *bench) mine(slot int) string { return keys.Entry(modelPrefix+"x/", b.lease, slot) }

const foreign = modelPrefix + "x/999"

// key is an entry as etcd shows it, on the lease that it is named after.
func key(k string, created int64) Key {
	_, rest, _ := keys.Split(modelPrefix, k)
	lease, _, _ := keys.Place(rest)
	return Key{Key: k, Created: created, Modified: created, Lease: lease}
}
