package core

import (
	"errors"
	"testing"
)

// TestOneQueueThatIsNotEmpty: enqueues that share a batch take their queues to be
// empty. If one is not, a try of it is over, a request that waits looks at it next
// time, the others are sent again, and for a while no queue is taken to be empty.
func TestOneQueueThatIsNotEmpty(t *testing.T) {
	b := newBench(t)
	b.m.cfg.BatchesInFlight = 1
	first := b.lock(1, Forever)
	b.ask(2, Forever, "waits")
	b.ask(3, 0, "tries")
	b.ask(4, Forever, "alone")
	b.step(BatchApplied{Batch: first.ID, Revision: 10})
	take[Granted](b)
	joint := take[Commit](b).Batch
	other := func(name string) []Key { return []Key{key(modelPrefix+name+"/999", 9)} }
	b.step(BatchRefused{joint.ID, 10, 1, [][]Key{other("waits"), other("tries"), nil}})
	if r := take[Refused](b); r.Session != 3 || !errors.Is(r.Err, ErrBusy) {
		t.Errorf("%+v", r)
	}
	again := take[Commit](b).Batch
	if len(again.Puts) != 2 || again.Puts[0].Empty || again.Puts[1].Empty {
		t.Fatalf("%+v", again.Puts)
	}
	b.step(BatchApplied{again.ID, 11, [][]Key{
		append(other("waits"), key(again.Puts[0].Key, 11)), {key(again.Puts[1].Key, 11)},
	}})
	if g := take[Granted](b); g.Session != 4 {
		t.Errorf("%+v", g)
	}
	none[Granted](b)
	b.ask(5, Forever, "another")
	if next := take[Commit](b).Batch; next.Puts[0].Empty {
		t.Errorf("%+v", next.Puts[0])
	}
}

// TestNameOfOthersIsLookedAt: while a queue is watched its next user takes nothing
// for granted.
func TestNameOfOthersIsLookedAt(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lockBehind(1, key(foreign, 9)).ID, 10, [][]Key{{key(foreign, 9), key(b.mine(0), 10)}}})
	take[OpenWatch](b)
	b.step(End{1})
	b.step(BatchApplied{Batch: take[Commit](b).Batch.ID, Revision: 11})
	if again := b.lock(2, Forever); again.Puts[0].Empty {
		t.Errorf("%+v", again.Puts[0])
	}
}
