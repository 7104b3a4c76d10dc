package core

import "testing"

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

// TestBuriedLeaseLeavesNoBlocker: an entry that was shown, that no answer ever
// claimed, and that was seen deleted with its lease, holds nobody up.
func TestBuriedLeaseLeavesNoBlocker(t *testing.T) {
	for _, seen := range []bool{true, false} {
		b := newBench(t)
		b.step(Open{2})
		b.step(Lock{Session: 2, Names: []string{"x"}, Wait: Forever, TTL: 2 * benchTTL})
		other := take[GrantLease](b).Lease
		b.step(LeaseGranted{other, 2 * benchTTL, b.now, false})
		b.step(LeaseFenced{other, 2})
		behind := take[Commit](b).Batch
		b.lock(1, Forever) // its answer never comes
		mine := key(behind.Puts[0].Key, 13)
		b.step(BatchApplied{behind.ID, 13, [][]Key{{key(b.mine(0), 12), mine}}})
		none[Granted](b)
		b.now += b.m.cfg.WatchDelay
		b.step(Tick{})
		watch := take[OpenWatch](b)
		b.step(WatchReady{watch.Watch})
		b.step(QueuesRead{take[ReadQueues](b).Read, 13, []Queue{{"x", []Key{key(b.mine(0), 12), mine}}}})
		b.step(LeaseEnded{b.lease})
		gone := WatchSaw{watch.Watch, []Change{{Key: b.mine(0), Deleted: true, Revision: 14}}}
		if seen {
			b.step(gone)
		}
		b.step(LeaseEnded{b.lease}) // revoked
		if !seen {
			none[Granted](b)
			b.step(gone)
		}
		take[Granted](b)
	}
}
