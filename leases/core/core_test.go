package core

import (
	"errors"
	"testing"
	"time"
)

func TestQueueHandsOverBeforeTheDeletionCommits(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	if g := take[Granted](b); g.Fence != 10 {
		t.Fatalf("granted %+v", g)
	}
	b.step(BatchApplied{b.lock(2, Forever).ID, 11, [][]Key{{key(b.mine(0), 10), key(b.mine(1), 11)}}})
	none[Granted](b)
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	if g := take[Granted](b); g.Session != 2 || g.Fence != 11 {
		t.Fatalf("granted %+v", g)
	}
	none[Released](b) // its deletion is not committed
	drop := take[Commit](b).Batch
	if want := (Drop{b.mine(0), 10}); len(drop.Drops) != 1 || drop.Drops[0] != want {
		t.Fatalf("drops %+v, want %+v", drop.Drops, want)
	}
	b.step(BatchApplied{Batch: drop.ID, Revision: 12})
	take[Released](b)
}

func TestQueueDoesNotHandOverPastAForeignEntry(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	take[Granted](b)
	b.step(BatchApplied{b.lock(2, Forever).ID, 12, [][]Key{{key(b.mine(0), 10), key(foreign, 11), key(b.mine(1), 12)}}})
	watch := take[OpenWatch](b)
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	none[Granted](b)
	b.step(WatchReady{watch.Watch})
	b.step(QueuesRead{take[ReadQueues](b).Read, 12, []Queue{{"x", []Key{key(b.mine(0), 10), key(foreign, 11), key(b.mine(1), 12)}}}})
	b.step(WatchSaw{watch.Watch, []Change{{Key: b.mine(0), Deleted: true, Revision: 13}}})
	none[Granted](b)
	b.step(WatchSaw{watch.Watch, []Change{{Key: foreign, Deleted: true, Revision: 14}}})
	if g := take[Granted](b); g.Session != 2 {
		t.Fatalf("granted %+v", g)
	}
}

// TestQueueLateEvidence: what arrives late neither brings back an entry that a
// watch has seen deleted, nor removes one that came after it (I2).
func TestQueueLateEvidence(t *testing.T) {
	b := newBench(t)
	first := b.lockBehind(1, key(foreign, 9))
	b.step(BatchApplied{first.ID, 10, [][]Key{{key(foreign, 9), key(b.mine(0), 10)}}})
	watch := take[OpenWatch](b)
	b.step(WatchReady{watch.Watch})
	read := take[ReadQueues](b)
	second := b.lock(2, Forever)
	b.step(WatchSaw{watch.Watch, []Change{{Key: foreign, Deleted: true, Revision: 12}}})
	// The look of a Txn at revision 11 is older than the deletion at 12.
	b.step(BatchApplied{second.ID, 11, [][]Key{{key(foreign, 9), key(b.mine(0), 10), key(b.mine(1), 11)}}})
	// So is a read at 11.
	b.step(QueuesRead{read.Read, 11, []Queue{{"x", []Key{key(foreign, 9), key(b.mine(0), 10), key(b.mine(1), 11)}}}})
	if g := take[Granted](b); g.Session != 1 {
		t.Fatalf("granted %+v", g)
	}
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	if g := take[Granted](b); g.Session != 2 {
		t.Fatalf("the dead entry came back: %+v", g)
	}
}

func TestQueueReadDoesNotRemoveWhatCameAfterIt(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	take[Granted](b)
	b.now += 200 * time.Millisecond
	b.step(Tick{})
	watch := take[OpenWatch](b)
	b.step(WatchReady{watch.Watch})
	read := take[ReadQueues](b)
	b.step(BatchApplied{b.lock(2, Forever).ID, 12, [][]Key{{key(b.mine(0), 10), key(foreign, 11), key(b.mine(1), 12)}}})
	b.step(QueuesRead{read.Read, 10, []Queue{{"x", []Key{key(b.mine(0), 10)}}}})
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	none[Granted](b) // the foreign entry of revision 11 still stands between
	none[Lost](b)
}

// TestCoreLateRenewalRevivesNothing: the deadline counts from the moment of
// sending, less margin; a renewal answered after it is dropped (P3, I4).
func TestCoreLateRenewalRevivesNothing(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	take[Granted](b)
	sent := b.now + benchTTL/3
	b.now = sent
	b.step(Tick{})
	take[RenewLease](b)
	b.now = sent + time.Second
	b.step(LeaseRenewed{Lease: b.lease, TTL: benchTTL, Sent: sent})
	deadline := sent + benchTTL - 2*time.Second
	if h, ok := b.m.Check(1, "x"); !ok || h.Left != deadline-b.now {
		t.Fatalf("left %v, want %v", h.Left, deadline-b.now)
	}
	b.now = deadline - 1
	b.step(Tick{})
	none[Lost](b)
	b.now = deadline
	b.step(LeaseRenewed{Lease: b.lease, TTL: benchTTL, Sent: deadline - time.Second}) // time comes first
	if l := take[Lost](b); l.Session != 1 || l.Reason != DeadlineOver {
		t.Fatalf("lost %+v", l)
	}
	none[RevokeLease](b)
	none[Granted](b)
	if _, ok := b.m.Check(1, "x"); ok {
		t.Error("the session is still there")
	}
}

// TestCoreLateAnswerCountsFromItsSending: the answer to an attempt that has failed
// moves the deadline to where it would have, never back, and starts no second attempt
// beside one that is under way (I4).
func TestCoreLateAnswerCountsFromItsSending(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	left := func() time.Duration {
		h, _ := b.m.Check(1, "x")
		return h.Left + b.now
	}
	margin := b.now + benchTTL - left()
	first := b.now + benchTTL/3
	b.now = first
	b.step(Tick{})
	take[RenewLease](b)
	b.now += time.Second
	b.step(RenewFailed{b.lease})
	b.now += time.Second
	second := b.now
	b.step(Tick{})
	take[RenewLease](b)
	b.now += time.Second / 2
	b.step(LeaseRenewed{Lease: b.lease, TTL: benchTTL, Sent: first, Late: true})
	if until := left(); until != first+benchTTL-margin {
		t.Errorf("until %v, want %v", until, first+benchTTL-margin)
	}
	b.now = first + benchTTL/3 + time.Second
	b.step(Tick{})
	none[RenewLease](b) // the second is not answered
	b.step(LeaseRenewed{Lease: b.lease, TTL: benchTTL, Sent: second})
	b.step(LeaseRenewed{Lease: b.lease, TTL: benchTTL, Sent: first, Late: true})
	if until := left(); until != second+benchTTL-margin {
		t.Errorf("until %v, want %v", until, second+benchTTL-margin)
	}
	none[RenewLease](b)
	b.now = second + benchTTL/3
	b.step(Tick{})
	take[RenewLease](b)
}

// TestCoreSleptPastDeadline: a request that comes first after a long sleep is
// served only after the lost sessions are told.
func TestCoreSleptPastDeadline(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	take[Granted](b)
	b.last = nil
	b.now = time.Hour
	b.step(Open{2})
	if _, first := b.last[0].(Lost); !first {
		t.Errorf("the first action is %T", b.last[0])
	}
}

// TestCoreLostReplies: a batch of unknown outcome keeps its key reserved until
// a new epoch is confirmed and a read after it has decided (I5).
func TestCoreLostReplies(t *testing.T) {
	for _, applied := range []bool{true, false} {
		b := newBench(t)
		batch := b.lock(1, Forever)
		b.step(BatchUnknown{batch.ID})
		take[FenceLease](b)
		if again := b.m.queues["x"].own(b.mine(0)); again == nil || !again.doubt {
			t.Fatal("the key is free although its put may come")
		}
		b.step(FenceFailed{b.lease})
		none[ReadQueues](b)
		b.now += time.Second
		b.step(Tick{})
		take[FenceLease](b)
		b.step(LeaseFenced{b.lease, 20})
		read := take[ReadQueues](b)
		if !applied {
			b.step(QueuesRead{read.Read, 20, []Queue{{"x", nil}}})
			retry := take[Commit](b).Batch
			if retry.Epoch != 20 || retry.Puts[0].Key != b.mine(0) {
				t.Fatalf("tried again as %+v", retry)
			}
			continue
		}
		b.step(QueuesRead{read.Read, 20, []Queue{{"x", []Key{key(b.mine(0), 15)}}}})
		if g := take[Granted](b); g.Fence != 15 {
			t.Fatalf("granted %+v", g)
		}
		none[Commit](b)
	}
}

// TestCoreReadBeforeTheEpochDecidesNothing: a read older than the new epoch
// says nothing about a batch that may still come.
func TestCoreReadBeforeTheEpochDecidesNothing(t *testing.T) {
	b := newBench(t)
	b.step(BatchUnknown{b.lock(1, Forever).ID})
	b.step(LeaseFenced{b.lease, 20})
	read := take[ReadQueues](b)
	b.step(QueuesRead{read.Read, 19, []Queue{{"x", nil}}})
	none[Commit](b)
	none[Refused](b)
}

// TestRefusedWatchIsNotHammered: a watch that etcd refuses is opened again after
// a pause, and the queue is polled meanwhile.
func TestRefusedWatchIsNotHammered(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lockBehind(1, key(foreign, 9)).ID, 10, [][]Key{{key(foreign, 9), key(b.mine(0), 10)}}})
	b.step(WatchGone{take[OpenWatch](b).Watch})
	none[OpenWatch](b)
	b.now += watchPause
	b.step(Tick{})
	b.step(WatchGone{take[OpenWatch](b).Watch})
	b.now += b.m.cfg.PollEvery
	b.step(Tick{})
	read := take[ReadQueues](b)
	b.step(QueuesRead{read.Read, 12, []Queue{{"x", []Key{key(b.mine(0), 10)}}}})
	take[Granted](b)
}

func TestSameNameNeverTwiceInOneBatch(t *testing.T) {
	b := newBench(t)
	for id := SessionID(1); id <= 8; id++ {
		b.step(Open{id})
		b.step(Lock{Session: id, Names: []string{"x"}, Wait: Forever})
	}
	for _, a := range b.last {
		if c, ok := a.(Commit); ok && len(c.Batch.Puts) != 1 {
			t.Errorf("a batch enqueues %+v", c.Batch.Puts)
		}
	}
}

func TestOneBadRequestFailsAlone(t *testing.T) {
	b := newBench(t)
	b.m.cfg.BatchesInFlight = 1
	first := b.lock(1, Forever)
	for id, name := range map[SessionID]string{2: "y", 3: "z"} {
		b.step(Open{id})
		b.step(Lock{Session: id, Names: []string{name}, Wait: Forever})
	}
	b.step(BatchApplied{first.ID, 10, [][]Key{nil}})
	take[Granted](b)
	joint := take[Commit](b).Batch
	if len(joint.Puts) != 2 {
		t.Fatalf("joint batch %+v", joint)
	}
	bad := errors.New("permission denied")
	b.step(BatchFailed{Batch: joint.ID, Cause: Forbidden, Err: bad})
	alone := take[Commit](b).Batch
	b.step(BatchFailed{Batch: alone.ID, Cause: Forbidden, Err: bad})
	if r := take[Refused](b); !errors.Is(r.Err, bad) {
		t.Errorf("refused with %v", r.Err)
	}
	other := take[Commit](b).Batch
	b.step(BatchApplied{other.ID, 11, [][]Key{nil}})
	take[Granted](b)
}

func TestOrder(t *testing.T) {
	b := newBench(t)
	b.step(BatchApplied{b.lock(1, Forever).ID, 10, [][]Key{{key(b.mine(0), 10)}}})
	take[Granted](b)
	b.step(Lock{Session: 1, Names: []string{"z", "a"}, Wait: Forever})
	if r := take[Refused](b); !errors.Is(r.Err, ErrOrder) {
		t.Errorf("refused with %v", r.Err)
	}
	b.step(Lock{Session: 1, Names: []string{"a"}, Wait: 0})
	if try := take[Commit](b).Batch; !try.Puts[0].Empty {
		t.Error("a try may leave a trace")
	}
}

func TestWindowHoldsTheLineInOrder(t *testing.T) {
	b := newBench(t)
	for id := SessionID(1); id <= 20; id++ {
		b.step(Open{id})
		b.step(Lock{Session: id, Names: []string{"x"}, Wait: Forever})
	}
	q := b.m.queues["x"]
	if len(q.entries) != 16 || len(q.line) != 4 || q.line[0].session.id != 17 {
		t.Fatalf("%d entries, %d in line", len(q.entries), len(q.line))
	}
	b.step(End{17})
	b.step(End{1}) // its enqueue is under way, so its place is not free yet
	if len(q.entries) != 16 || q.line[0].session.id != 18 {
		t.Fatalf("%d entries, %d in line", len(q.entries), len(q.line))
	}
}

// BenchmarkStep is one uncontended LOCK and UNLOCK through the core.
func BenchmarkStep(b *testing.B) {
	m := New(Config{Prefix: modelPrefix, LeaseID: func() int64 { return 1 }})
	m.Step(0, Tick{})
	m.Step(0, LeaseGranted{Lease: 1, TTL: time.Hour})
	m.Step(0, LeaseFenced{1, 1})
	m.Step(0, Open{1})
	lock, unlock := Lock{Session: 1, Names: []string{"x"}, Wait: Forever}, Unlock{Session: 1, Names: []string{"x"}}
	revision := int64(10)
	commit := func(actions []Action) {
		for _, a := range actions {
			if c, ok := a.(Commit); ok {
				revision++
				m.Step(0, BatchApplied{c.Batch.ID, revision, [][]Key{nil}})
				return
			}
		}
		b.Fatal("nothing to commit")
	}
	b.ReportAllocs()
	for b.Loop() {
		commit(m.Step(0, lock))
		commit(m.Step(0, unlock))
	}
}

// TestCoreAdoptsOnlyItsOwn: an entry on our lease that we know nothing of is
// deleted; one of the same name that somebody else put on no lease is not.
func TestCoreAdoptsOnlyItsOwn(t *testing.T) {
	for _, lease := range []int64{0, 0x100} {
		b := newBench(t)
		b.step(LeaseListed{Lease: b.lease, Keys: []string{b.mine(3)}})
		read := take[ReadQueues](b)
		stray := Key{Key: b.mine(3), Created: 9, Modified: 9, Lease: lease}
		b.step(QueuesRead{read.Read, 9, []Queue{{"x", []Key{stray}}}})
		if lease == 0 {
			none[Commit](b)
			continue
		}
		if batch := take[Commit](b).Batch; len(batch.Drops) != 1 || batch.Drops[0].Key != stray.Key {
			t.Errorf("deleted %+v", batch.Drops)
		}
	}
}

// TestCoreOverdue: time that is not told, and an attempt to renew of which no outcome is
// told, are late; an etcd that does not answer is not.
func TestCoreOverdue(t *testing.T) {
	b := newBench(t)
	b.hold(1, 10, "x")
	late := func(want time.Duration) {
		t.Helper()
		if got := b.m.Overdue(b.now); got != want {
			t.Errorf("overdue by %v, want %v", got, want)
		}
	}
	late(0)
	b.now += benchTTL / 3
	b.step(Tick{})
	take[RenewLease](b)
	b.now += benchTTL / 10
	b.step(Tick{})
	late(0)
	b.now += time.Second
	b.step(Tick{})
	late(time.Second)
	b.step(RenewFailed{b.lease})
	late(0)
	b.now = b.m.Next() + 2*time.Second
	late(2 * time.Second)
	b.step(Tick{})
	late(0)
}
