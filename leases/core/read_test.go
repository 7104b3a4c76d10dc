package core

import (
	"fmt"
	"slices"
	"testing"
)

// TestLookRemovesWhatIsGone: a look shows all that is there, so what it does not
// show is gone.
func TestLookRemovesWhatIsGone(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(foreign, 9), key(b.mine(0), 10)}}})
	b.step(BatchApplied{b.lock(2, Forever).ID, 12, [][]Key{{key(b.mine(0), 10), key(b.mine(1), 12)}}})
	if g := take[Granted](b); g.Session != 1 {
		t.Errorf("granted %+v", g)
	}
}

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

// TestLookMeetsWhatIsPutUnderOurKey: an entry that somebody else has put under a
// key of ours counts, whatever becomes of ours.
func TestLookMeetsWhatIsPutUnderOurKey(t *testing.T) {
	b := newBench(t)
	b.hold(1, 10, "x")
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	drop := take[Commit](b).Batch
	b.step(BatchApplied{b.lock(2, Forever).ID, 13, [][]Key{{key(b.mine(0), 12), key(b.mine(1), 13)}}})
	b.step(BatchRefused{drop.ID, 13, 1, []int64{12}})
	take[Released](b)
	none[Granted](b)
	watch := take[OpenWatch](b)
	b.step(WatchReady{watch.Watch})
	b.step(WatchSaw{watch.Watch, []Change{{Key: b.mine(0), Deleted: true, Revision: 14}}})
	take[Granted](b)
}

// TestLookMistakesNothingForOurs: what somebody puts under the key of an entry
// whose own answer is late is not ours, though it looks like it until then.
func TestLookMistakesNothingForOurs(t *testing.T) {
	b := newBench(t)
	first := b.lock(1, Forever)
	b.step(End{1})
	b.step(BatchApplied{b.lock(2, Forever).ID, 13, [][]Key{{key(b.mine(0), 12), key(b.mine(1), 13)}}})
	none[Granted](b)
	b.step(BatchApplied{first.ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	none[Granted](b)
	b.step(WatchReady{take[OpenWatch](b).Watch})
	b.step(QueuesRead{take[ReadQueues](b).Read, 14, []Queue{{"x", []Key{key(b.mine(1), 13)}}}})
	take[Granted](b)
}
