package core

import (
	"fmt"
	"slices"
	"testing"
)

// TestReadsShrink: a read that is not answered is tried with fewer queues, so
// that neither a limit of etcd nor one queue that cannot be read stops the rest.
func TestReadsShrink(t *testing.T) {
	b := newBench(t)
	want := map[string]bool{}
	for i := range 60 {
		name := fmt.Sprint("n", i)
		want[name] = true
		b.m.wantRead(b.m.queue(name))
	}
	b.step(Tick{})
	for range 60 {
		read := take[ReadQueues](b)
		if len(read.Names) > 20 || slices.Contains(read.Names, "n7") {
			b.step(ReadFailed{read.Read})
			b.now += readPause
			b.step(Tick{})
			continue
		}
		ev := QueuesRead{Read: read.Read, Revision: 10}
		for _, name := range read.Names {
			delete(want, name)
			ev.Queues = append(ev.Queues, Queue{Name: name})
		}
		b.step(ev)
	}
	if len(want) != 1 || !want["n7"] {
		t.Errorf("not read: %v", want)
	}
}

// TestRecheckFindsALossThatNoWatchSaw: a client that verifies its lock does not
// wait for the watch.
func TestRecheckFindsALossThatNoWatchSaw(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	take[Granted](b)
	b.step(Recheck{"x"})
	b.step(Recheck{"nobody's"})
	b.step(QueuesRead{take[ReadQueues](b).Read, 12, []Queue{{"x", nil}}})
	b.step(LeaseAlive{take[ProbeLease](b).Lease})
	if l := take[Lost](b); l.Session != 1 || l.Reason != EntryDeleted {
		t.Errorf("%+v", l)
	}
}
