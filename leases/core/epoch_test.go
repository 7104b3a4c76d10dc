package core

import "testing"

// TestDoubtOutlivesAnotherEpoch: a read that is newer than the epoch which
// fenced a batch off, but older than one found since, is followed by another.
func TestDoubtOutlivesAnotherEpoch(t *testing.T) {
	b := newBench(t)
	b.step(BatchUnknown{b.lock(1, Forever).ID})
	take[FenceLease](b)
	b.step(LeaseFenced{b.lease, 20})
	read := take[ReadQueues](b)
	b.ask(2, Forever, "y")
	// A late write of the epoch key at 25, by an attempt that had no answer.
	b.step(BatchRefused{take[Commit](b).Batch.ID, 26, 25, [][]Key{nil}})
	b.step(QueuesRead{read.Read, 22, []Queue{{"x", nil}}})
	read = take[ReadQueues](b)
	take[Commit](b) // y, again
	b.step(QueuesRead{read.Read, 26, []Queue{{"x", nil}}})
	if again := take[Commit](b).Batch; again.Puts[0].Queue != "x" {
		t.Errorf("tried again as %+v", again)
	}
}

// TestPartOfARequestDeleted: names are put together, so a request of which a
// read shows only a part has lost the rest, whichever part is read first.
func TestPartOfARequestDeleted(t *testing.T) {
	for _, names := range [][]string{{"x", "y"}, {"y", "x"}} {
		b := newBench(t)
		b.ask(1, Forever, names...)
		b.step(BatchUnknown{take[Commit](b).Batch.ID})
		b.step(LeaseFenced{b.lease, 20})
		read := take[ReadQueues](b)
		var queues []Queue
		for _, name := range read.Names {
			q := Queue{Name: name}
			if name == "x" {
				q.Keys = []Key{key(b.mine(0), 15)}
			}
			queues = append(queues, q)
		}
		b.step(QueuesRead{read.Read, 20, queues})
		if lost := take[Lost](b); lost.Reason != EntryDeleted {
			t.Errorf("lost by %s", lost.Reason)
		}
		if drops := take[Commit](b).Batch.Drops; len(drops) != 1 || drops[0].Key != b.mine(0) {
			t.Errorf("drops %+v", drops)
		}
	}
}

// TestDeletionsNeedNoEpoch: what is given up is deleted while the epoch of its
// lease cannot be replaced, as often as it takes until one deletion is answered.
func TestDeletionsNeedNoEpoch(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	b.ask(2, Forever, "y")
	b.step(BatchUnknown{take[Commit](b).Batch.ID})
	b.step(FenceFailed{b.lease})
	b.ask(3, Forever, "z")
	none[Commit](b)
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	want := Drop{b.mine(0), 10}
	for range 3 {
		batch := take[Commit](b).Batch
		if batch.Epoch != 0 || len(batch.Puts) > 0 || len(batch.Drops) != 1 || batch.Drops[0] != want {
			t.Fatalf("sent %+v", batch)
		}
		b.step(BatchUnknown{batch.ID})
		none[Commit](b) // it is not hammered
		b.now += lastPause
		b.step(Tick{})
	}
	b.step(BatchRefused{Batch: take[Commit](b).Batch.ID, Revision: 12, Found: [][]Key{nil}})
	take[Released](b)
	b.step(LeaseFenced{b.lease, 20})
	if next := take[Commit](b).Batch; next.Epoch != 20 || len(next.Puts) != 1 || len(next.Drops) != 0 {
		t.Errorf("sent %+v", next)
	}
}
