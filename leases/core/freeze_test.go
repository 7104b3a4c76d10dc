package core

import (
	"testing"
	"time"

	"lockside/leases/keys"
)

// upgrade has the next program go on from what this one knows, after a gap.
func (b *bench) upgrade(gap time.Duration) {
	b.t.Helper()
	b.m = Thaw(b.m.cfg, handedOver(b.t, b.m.Freeze(b.now)))
	b.now += gap
	b.last = nil
	b.step(Tick{})
}

// TestThawRenewsAtOnce: the next program does not wait until a renewal is due, and
// counts from what was answered to the one before.
func TestThawRenewsAtOnce(t *testing.T) {
	b := newBench(t)
	b.hold(1, 10, "x")
	held, _ := b.m.Check(1, "x")
	b.upgrade(time.Second)
	if r := take[RenewLease](b); r.Lease != b.lease || r.Attempt != 0 {
		t.Errorf("%+v", r)
	}
	if h, ok := b.m.Check(1, "x"); !ok || h.Until != held.Until || h.Fence != 10 || h.Key != held.Key {
		t.Errorf("held by %+v, and %+v before", h, held)
	}
	none[GrantLease](b)
}

// TestThawEndsWhatIsPastItsDeadline before it does anything else (P3).
func TestThawEndsWhatIsPastItsDeadline(t *testing.T) {
	b := newBench(t)
	b.hold(1, 10, "x")
	b.upgrade(benchTTL)
	if l, ok := b.last[0].(Lost); !ok || l.Session != 1 || l.Reason != DeadlineOver {
		t.Fatalf("the first action is %+v", b.last[0])
	}
	none[Granted](b)
}

// TestThawDecidesWhatWasUnderWay: an enqueue that the program before had sent is of
// unknown outcome (I5), its deletion is sent again (I6), and both are answered.
func TestThawDecidesWhatWasUnderWay(t *testing.T) {
	b := newBench(t)
	b.hold(1, 10, "x")
	b.step(Unlock{Session: 1, Names: []string{"x"}})
	take[Commit](b)
	b.ask(2, Forever, "y")
	take[Commit](b)
	b.upgrade(100 * time.Millisecond)
	drop := take[Commit](b).Batch
	if len(drop.Drops) != 1 || drop.Drops[0].Created != 10 || len(drop.Puts) != 0 {
		t.Fatalf("sent %+v", drop)
	}
	b.step(BatchApplied{Batch: drop.ID, Revision: 12})
	if r := take[Released](b); r.Session != 1 {
		t.Errorf("%+v", r)
	}
	take[FenceLease](b)
	b.step(LeaseFenced{b.lease, 20})
	var read ReadQueues
	for read.Names == nil || read.Names[0] != "y" {
		read = take[ReadQueues](b)
	}
	b.step(QueuesRead{read.Read, 20, []Queue{{"y", []Key{{Key: keys.Entry(modelPrefix+"y/", b.lease, 0), Created: 11, Modified: 11, Lease: b.lease}}}}})
	if g := take[Granted](b); g.Session != 2 || g.Fence != 11 {
		t.Errorf("granted %+v", g)
	}
}

// TestThawKeepsTheLine: who stands in line behind the window goes on in order.
func TestThawKeepsTheLine(t *testing.T) {
	b := newBench(t)
	b.m.cfg.Window = 1
	b.hold(1, 10, "x")
	for id := SessionID(2); id <= 4; id++ {
		b.ask(id, Forever, "x")
	}
	b.upgrade(0)
	for id, revision := SessionID(2), int64(12); id <= 4; id, revision = id+1, revision+2 {
		b.step(Unlock{Session: id - 1, Names: []string{"x"}})
		b.step(BatchApplied{Batch: take[Commit](b).Batch.ID, Revision: revision})
		put := take[Commit](b).Batch
		b.step(BatchApplied{Batch: put.ID, Revision: revision + 1, Looks: [][]Key{{key(put.Puts[0].Key, revision+1)}}})
		if g := take[Granted](b); g.Session != id {
			t.Fatalf("session %d is granted before %d", g.Session, id)
		}
	}
}
