package core

import "testing"

// TestLookRemovesWhatIsGone: a look shows all that is there, so what it does not
// show is gone.
func TestLookRemovesWhatIsGone(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lockBehind(1, key(foreign, 9)).ID, 10, [][]Key{{key(foreign, 9), key(b.mine(0), 10)}}})
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
	b.step(BatchRefused{drop.ID, 13, 1, [][]Key{{key(b.mine(0), 12)}}})
	take[Released](b)
	none[Granted](b)
	watch := take[OpenWatch](b)
	b.step(WatchReady{watch.Watch})
	b.step(QueuesRead{take[ReadQueues](b).Read, 13, []Queue{{"x", []Key{key(b.mine(0), 12), key(b.mine(1), 13)}}}})
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
		b.lock(1, Forever) // its answer never comes
		b.step(Open{2})
		b.step(Lock{Session: 2, Names: []string{"x"}, Wait: Forever, TTL: 2 * benchTTL})
		other := take[GrantLease](b).Lease
		b.step(LeaseGranted{other, 2 * benchTTL, b.now, false})
		b.step(LeaseFenced{other, 2})
		behind := take[Commit](b).Batch
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

// TestNobodyMovesUpOnHalfAWatch: a watch does not tell what was before it, so
// until a read has, a waiter whose own entry was deleted early is not granted by
// what the watch tells of the entry before it (I2).
func TestNobodyMovesUpOnHalfAWatch(t *testing.T) {
	for name, deleted := range map[string]bool{"our own entry is gone": true, "it is there": false} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.step(BatchApplied{b.lockBehind(1, key(foreign, 9)).ID, 10, [][]Key{{key(foreign, 9), key(b.mine(0), 10)}}})
			watch := take[OpenWatch](b)
			b.step(WatchReady{watch.Watch})
			b.step(WatchSaw{watch.Watch, []Change{{Key: foreign, Deleted: true, Revision: 12}}})
			none[Granted](b)
			left := []Key{key(b.mine(0), 10)}
			if deleted {
				left = nil
			}
			b.step(QueuesRead{take[ReadQueues](b).Read, 12, []Queue{{"x", left}}})
			if !deleted {
				take[Granted](b)
				return
			}
			none[Granted](b)
			b.step(LeaseAlive{b.lease})
			if l := take[Lost](b); l.Reason != EntryDeleted {
				t.Errorf("%+v", l)
			}
		})
	}
}

// TestAReadFromBeforeTheWatchIsNotEnough: one that was asked for before the watch
// was ready may be older than its first event.
func TestAReadFromBeforeTheWatchIsNotEnough(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lockBehind(1, key(foreign, 9)).ID, 10, [][]Key{{key(foreign, 9), key(b.mine(0), 10)}}})
	b.step(Recheck{"x"})
	early := take[ReadQueues](b)
	watch := take[OpenWatch](b)
	b.step(WatchReady{watch.Watch})
	b.step(QueuesRead{early.Read, 10, []Queue{{"x", []Key{key(foreign, 9), key(b.mine(0), 10)}}}})
	b.step(WatchSaw{watch.Watch, []Change{{Key: foreign, Deleted: true, Revision: 13}}})
	none[Granted](b) // ours was deleted at 11, before the watch began
	b.step(QueuesRead{take[ReadQueues](b).Read, 13, []Queue{{"x", nil}}})
	none[Granted](b)
}

// TestLookMissesOurOwn: a look that shows nothing of the entry before ours shows
// nothing of ours either, if that was deleted too.
func TestLookMissesOurOwn(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lockBehind(1, key(foreign, 9)).ID, 10, [][]Key{{key(foreign, 9), key(b.mine(0), 10)}}})
	b.step(BatchApplied{b.lock(2, Forever).ID, 14, [][]Key{{key(modelPrefix+"x/99a", 13), key(b.mine(1), 14)}}})
	none[Granted](b)
	b.step(LeaseAlive{b.lease})
	if l := take[Lost](b); l.Session != 1 || l.Reason != EntryDeleted {
		t.Errorf("%+v", l)
	}
}

// TestRefusalHidesNothingFromALook: that our entry is gone by the revision of a
// refusal says nothing of what was put under its key before that.
func TestRefusalHidesNothingFromALook(t *testing.T) {
	b := newBench(t)
	b.hold(1, 10, "x")
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	drop := take[Commit](b).Batch
	second := b.lock(2, Forever)
	b.step(BatchRefused{drop.ID, 15, 1, [][]Key{{key(b.mine(0), 12)}}})
	take[Released](b)
	b.step(BatchApplied{second.ID, 14, [][]Key{{key(b.mine(0), 12), key(b.mine(1), 14)}}})
	none[Granted](b)
}

// TestUnsentEntryLeavesWhatWasShown: what a look showed under the key of an entry
// that was never put is another's, and still before those behind it.
func TestUnsentEntryLeavesWhatWasShown(t *testing.T) {
	b := newBench(t)
	first := b.lock(1, Forever)
	b.step(End{1})
	b.step(BatchApplied{b.lock(2, Forever).ID, 13, [][]Key{{key(b.mine(0), 12), key(b.mine(1), 13)}}})
	b.step(BatchFailed{Batch: first.ID, Cause: NotSent})
	none[Granted](b)
}

// TestLateAnswerAfterAnother: what somebody put under the key of an entry, and took
// away before ours was put, does not make ours a stranger's.
func TestLateAnswerAfterAnother(t *testing.T) {
	b := newBench(t)
	first := b.lock(1, Forever)
	second := b.lock(2, Forever)
	b.step(BatchApplied{second.ID, 12, [][]Key{{key(b.mine(0), 11), key(b.mine(1), 12)}}})
	b.step(Recheck{"x"})
	shown := []Key{key(b.mine(1), 12), key(b.mine(0), 14)}
	b.step(QueuesRead{take[ReadQueues](b).Read, 15, []Queue{{"x", shown}}})
	if n := b.m.Status().Counts.Orphans; n > 0 {
		t.Errorf("%d orphans", n)
	}
	b.step(BatchApplied{first.ID, 14, [][]Key{shown}})
	if g := take[Granted](b); g.Session != 2 {
		t.Errorf("%+v", g)
	}
	b.step(End{2})
	if g := take[Granted](b); g.Session != 1 || g.Fence != 14 {
		t.Errorf("%+v", g)
	}
}
