package core

import (
	"testing"
)

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
