package etcd_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

// sighting is one call of a WatchHandler.
type sighting struct {
	kind     string // ready, events or gone
	id       uint64
	revision int64
	events   []etcd.WatchEvent
}

// lookout is a WatchHandler that keeps what it is told.
type lookout chan sighting

func newLookout() lookout { return make(lookout, 100_000) }

func (l lookout) WatchReady(id uint64) { l <- sighting{kind: "ready", id: id} }
func (l lookout) WatchGone(id uint64)  { l <- sighting{kind: "gone", id: id} }
func (l lookout) WatchEvents(id uint64, revision int64, events []etcd.WatchEvent) {
	l <- sighting{"events", id, revision, events}
}

// expect takes the next sighting, which has to be of a kind and of an id.
func (l lookout) expect(t *testing.T, kind string, id uint64) sighting {
	t.Helper()
	select {
	case s := <-l:
		if s.kind != kind || s.id != id {
			t.Fatalf("saw %+v, want %s of %d", s, kind, id)
		}
		return s
	case <-soon(t).Done():
		t.Fatalf("waited in vain for %s of %d", kind, id)
	}
	panic("unreachable")
}

func newWatcher(t *testing.T, c *etcd.Client, l lookout) *etcd.Watcher {
	t.Helper()
	w := c.NewWatcher(l)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func TestWatchSeesChangesUnderItsPrefix(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	seen := newLookout()
	w := newWatcher(t, c, seen)
	mustTxn(t, c, put("q/old", "", 0))
	w.Open(0, "q/")
	w.Open(7, "r/")
	ready := []uint64{(<-seen).id, (<-seen).id}
	if slices.Sort(ready); !slices.Equal(ready, []uint64{0, 7}) {
		t.Fatalf("ready are %v", ready)
	}

	mustTxn(t, c, put("p/x", "", 0), put("q0", "", 0)) // beside the prefixes
	created := mustTxn(t, c, put("q/a", "", 0))
	got := seen.expect(t, "events", 0)
	want := etcd.WatchEvent{Key: "q/a", CreateRevision: created, ModRevision: created}
	if len(got.events) != 1 || got.events[0] != want || got.revision != created {
		t.Errorf("saw %+v at %d, want %+v at %d", got.events, got.revision, want, created)
	}
	deleted := mustTxn(t, c, remove("q/a"), remove("q/old"))
	got = seen.expect(t, "events", 0)
	if len(got.events) != 2 || got.events[0] != (etcd.WatchEvent{Key: "q/a", Delete: true, ModRevision: deleted}) {
		t.Errorf("saw %+v, want two deletions at %d", got.events, deleted)
	}

	w.Cancel(0)
	mustTxn(t, c, put("q/a", "", 0))
	mustTxn(t, c, put("r/a", "", 0))
	seen.expect(t, "events", 7)
}

func TestWatchSeesTheEndOfALease(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	seen := newLookout()
	w := newWatcher(t, c, seen)
	mustGrant(t, c, 1, time.Minute)
	w.Open(1, "q/")
	seen.expect(t, "ready", 1)
	mustTxn(t, c, put("q/a", "", 1), put("q/b", "", 1))
	seen.expect(t, "events", 1)
	begin := time.Now()
	if err := c.Revoke(soon(t), 1); err != nil {
		t.Fatal(err)
	}
	got := seen.expect(t, "events", 1)
	if len(got.events) != 2 || !got.events[0].Delete || !got.events[1].Delete {
		t.Errorf("saw %+v, want two deletions", got.events)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestWatchOpenedBeforeEtcdIsUp(t *testing.T) {
	s := etcdtest.Start(t)
	s.Stop()
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	seen := newLookout()
	w := newWatcher(t, c, seen)
	w.Open(1, "q/")
	w.Open(2, "r/")
	w.Cancel(1)
	s.Restart(t)
	seen.expect(t, "ready", 2)
}

func TestWatchIsGoneWithItsServerAndOpensAgain(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	seen := newLookout()
	w := newWatcher(t, c, seen)
	w.Open(1, "q/")
	seen.expect(t, "ready", 1)
	s.Stop()
	seen.expect(t, "gone", 1)
	w.Open(2, "q/")
	s.Restart(t)
	seen.expect(t, "ready", 2)
	mustTxnEventually(t, c)
	seen.expect(t, "events", 2)
}

// mustTxnEventually writes q/a once an endpoint is connected again.
func mustTxnEventually(t *testing.T, c *etcd.Client) {
	t.Helper()
	eventually(t, "a txn", func() bool {
		_, err := c.Txn(soon(t), then(put("q/a", "", 0)))
		return err == nil
	})
}

// A frozen member accepts a watch's silence for ever, so only its silence to a
// progress request gives it away.
func TestWatchLeavesAFrozenMember(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	c := newClient(t, etcd.Config{Endpoints: cluster.Endpoints()})
	eventually(t, "all members to be well", healthy(c, 3))
	seen := newLookout()
	w := newWatcher(t, c, seen)
	w.Open(1, "q/")
	seen.expect(t, "ready", 1)

	cluster.Leader(t).Stop(t) // the stream is at the leader
	begin := time.Now()
	seen.expect(t, "gone", 1)
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("the frozen member was noticed after %v", took)
	}
	w.Open(2, "q/")
	seen.expect(t, "ready", 2)
	mustTxnEventually(t, c)
	seen.expect(t, "events", 2)
}

func TestManyWatchesOnOneStream(t *testing.T) {
	const many = 10_000
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	seen := newLookout()
	w := newWatcher(t, c, seen)
	for id := range uint64(many) {
		w.Open(id, fmt.Sprintf("q/%d/", id))
	}
	ready := make(map[uint64]bool)
	for range many {
		select {
		case s := <-seen:
			if s.kind != "ready" || ready[s.id] {
				t.Fatalf("saw %+v", s)
			}
			ready[s.id] = true
		case <-soon(t).Done():
			t.Fatalf("%d watches are ready", len(ready))
		}
	}
	mustTxn(t, c, put("q/4321/a", "", 0))
	seen.expect(t, "events", 4321)
	for id := range uint64(many - 1) {
		w.Cancel(id)
	}
	mustTxn(t, c, put("q/4321/a", "", 0))
	mustTxn(t, c, put("q/9999/a", "", 0))
	seen.expect(t, "events", many-1)
}
