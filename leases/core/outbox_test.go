package core

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// TestRequestLargerThanABatch: a request that etcd can never take is refused by
// etcd, alone, and holds nothing up.
func TestRequestLargerThanABatch(t *testing.T) {
	b := newBench(t)
	var names []string
	for i := range 64 {
		names = append(names, fmt.Sprint("n", i))
	}
	b.ask(1, Forever, names...)
	large := take[Commit](b).Batch
	if len(large.Puts) != len(names) {
		t.Fatalf("%d of %d names sent", len(large.Puts), len(names))
	}
	b.ask(2, Forever, "x")
	if small := take[Commit](b).Batch; len(small.Puts) != 1 {
		t.Fatalf("%d names sent", len(small.Puts))
	}
	b.step(BatchFailed{Batch: large.ID, Cause: TooLarge, Err: errors.New("too many operations")})
	if r := take[Refused](b); r.Session != 1 || !errors.Is(r.Err, ErrLimit) {
		t.Errorf("%+v", r)
	}
}

// TestTooLargeEnds: however little etcd takes at once, each request is answered.
func TestTooLargeEnds(t *testing.T) {
	b := newBench(t)
	b.m.cfg.BatchesInFlight = 1
	b.ask(1, Forever, "first")
	for id := SessionID(2); id <= 20; id++ {
		b.ask(id, Forever, fmt.Sprint("n", id))
	}
	for range 200 {
		i := slices.IndexFunc(b.last, func(a Action) bool { _, ok := a.(Commit); return ok })
		if i < 0 {
			break
		}
		b.step(BatchFailed{Batch: take[Commit](b).Batch.ID, Cause: TooLarge, Err: errors.New("too large")})
	}
	for range 20 {
		take[Refused](b)
	}
}

// TestWithdrawnRequestsLeaveTheOutbox: while nothing can be sent, requests that
// come and go do not gather.
func TestWithdrawnRequestsLeaveTheOutbox(t *testing.T) {
	b := newBench(t)
	b.step(BatchUnknown{b.lock(1, Forever).ID})
	b.step(Open{2})
	for range 100 {
		b.step(Lock{Session: 2, Names: []string{"y"}, Wait: Forever})
		b.step(Cancel{2})
	}
	if n := len(b.m.leases[b.lease].outbox); n != 0 {
		t.Errorf("%d operations wait to be sent", n)
	}
}
