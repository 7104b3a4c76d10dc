package core

import (
	"fmt"
	"testing"
)

// TestBatchesGather: what comes while batches are under way goes when as much has
// gathered, and at the latest when one of them is answered.
func TestBatchesGather(t *testing.T) {
	b := newBench(t)
	next := SessionID(0)
	ask := func() { next++; b.ask(next, Forever, fmt.Sprint("n", next)) }
	sent := func(puts int) *Batch {
		t.Helper()
		batch := take[Commit](b).Batch
		if len(batch.Puts) != puts {
			t.Fatalf("%d puts sent, not %d", len(batch.Puts), puts)
		}
		none[Commit](b)
		return batch
	}
	ask()
	first := sent(1)
	ask()
	sent(1)
	ask()
	none[Commit](b) // two operations are under way
	ask()
	sent(2)
	for range 3 {
		ask()
	}
	none[Commit](b) // four operations are
	b.step(BatchApplied{first.ID, 10, make([][]Key, 1)})
	sent(3)
	for range 6 {
		ask()
	}
	sent(6)
	for range 20 {
		ask()
	}
	none[Commit](b) // four batches are under way
}

// TestOneNameWaitsForNoTxn: enqueues of one name go one after the other, since they
// never share a Txn.
func TestOneNameWaitsForNoTxn(t *testing.T) {
	b := newBench(t)
	for id := range SessionID(16) {
		b.ask(id+1, Forever, "x")
		if batch := take[Commit](b).Batch; len(batch.Puts) != 1 {
			t.Fatalf("%d puts of one name in a batch", len(batch.Puts))
		}
	}
	b.ask(17, Forever, "x")
	none[Commit](b) // it stands in line
}

// TestDeletionRides: a deletion for which nobody waits goes with what goes next,
// and by itself when nothing is under way.
func TestDeletionRides(t *testing.T) {
	b := newBench(t)
	b.hold(1, 10, "x")
	b.ask(2, Forever, "x")
	b.step(BatchApplied{take[Commit](b).Batch.ID, 11, [][]Key{{key(b.mine(0), 10), key(b.mine(1), 11)}}})
	b.ask(3, Forever, "other")
	other := take[Commit](b).Batch
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	if g := take[Granted](b); g.Session != 2 {
		t.Fatalf("%+v", g)
	}
	none[Commit](b)
	b.step(BatchApplied{other.ID, 12, make([][]Key, 1)})
	if batch := take[Commit](b).Batch; len(batch.Drops) != 1 {
		t.Fatalf("%+v", batch)
	}
	b.step(Unlock{Session: 2, Names: []string{"x"}})
	if batch := take[Commit](b).Batch; len(batch.Drops) != 1 {
		t.Fatalf("%+v", batch) // somebody elsewhere may wait for it
	}
}

// TestDeletionForAnotherHostIsSentAtOnce: it is what the other host waits for.
func TestDeletionForAnotherHostIsSentAtOnce(t *testing.T) {
	b := newBench(t)
	b.hold(1, 10, "x")
	b.ask(2, Forever, "other")
	b.ask(3, Forever, "another")
	take[Commit](b)
	take[Commit](b) // two operations are under way
	b.m.queues["x"].meet(key(foreign, 11))
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	if batch := take[Commit](b).Batch; len(batch.Drops) != 1 {
		t.Fatalf("%+v", batch)
	}
}

// TestAnswersOutOfOrder: an entry whose answer is still to come is before one whose
// answer came, if that one's look showed it.
func TestAnswersOutOfOrder(t *testing.T) {
	b := newBench(t)
	first, second := b.lock(1, Forever), b.lock(2, Forever)
	if second.Puts[0].Empty {
		t.Fatal("no look shows what the first answer does")
	}
	b.step(BatchApplied{second.ID, 11, [][]Key{{key(b.mine(0), 10), key(b.mine(1), 11)}}})
	none[Granted](b)
	b.step(BatchApplied{first.ID, 10, nil})
	if g := take[Granted](b); g.Session != 1 {
		t.Fatalf("%+v", g)
	}
	none[Granted](b)
}
