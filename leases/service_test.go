package leases_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/leases"
	"lockside/leases/core"
	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

func TestMain(m *testing.M) { etcdtest.Main(m) }

// patience bounds every wait for an event in these tests.
const patience = 30 * time.Second

// recorder is a subscriber that keeps what it was told.
type recorder struct {
	granted  chan leases.Grant
	refused  chan error
	released chan time.Duration
	lost     chan leases.Reason
}

func newRecorder() *recorder {
	return &recorder{make(chan leases.Grant, 1), make(chan error, 1), make(chan time.Duration, 1), make(chan leases.Reason, 1)}
}

func (r *recorder) Granted(g leases.Grant)    { r.granted <- g }
func (r *recorder) Refused(err error)         { r.refused <- err }
func (r *recorder) Released(d time.Duration)  { r.released <- d }
func (r *recorder) Lost(reason leases.Reason) { r.lost <- reason }

// await takes one thing told, or fails the test.
func await[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

func open(t testing.TB, endpoints []string, change func(*leases.Config)) *leases.Service {
	t.Helper()
	cfg := leases.Config{
		Etcd:     etcd.Config{Endpoints: endpoints},
		Core:     core.Config{Prefix: "lockside/"},
		StateDir: filepath.Join(t.TempDir(), "state"),
	}
	if change != nil {
		change(&cfg)
	}
	s, err := leases.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Close(ctx) // with etcd gone it cannot give the leases back
	})
	return s
}

// lock begins a session and waits until it holds the names.
func lock(t testing.TB, s *leases.Service, names ...string) (*leases.Session, *recorder, leases.Grant) {
	t.Helper()
	r := newRecorder()
	n := s.Session(r)
	if err := n.Lock(leases.Request{Names: names, Wait: leases.Forever}); err != nil {
		t.Fatal(err)
	}
	select {
	case g := <-r.granted:
		return n, r, g
	case err := <-r.refused:
		t.Fatalf("lock %q: %v", names, err)
	case reason := <-r.lost:
		t.Fatalf("lock %q: lost by %s", names, reason)
	case <-time.After(patience):
		t.Fatalf("%q not granted", names)
	}
	panic("unreachable")
}

// awaitQueue waits until a queue has so many entries.
func awaitQueue(t testing.TB, s *leases.Service, name string, entries int) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if who, err := s.Who(t.Context(), name); err == nil && len(who) == entries {
			return
		}
	}
	t.Fatalf("the queue of %q never had %d entries", name, entries)
}

func TestLockUnlock(t *testing.T) {
	server := etcdtest.Start(t)
	s := open(t, []string{server.Endpoint}, nil)
	n, r, g := lock(t, s, "nightly")
	kv, err := server.Client(t).Get(t.Context(), g.Keys[0])
	if err != nil || len(kv.Kvs) != 1 || kv.Kvs[0].CreateRevision != g.Fence || kv.Kvs[0].Lease != g.Lease {
		t.Fatalf("grant %+v, etcd has %v, %v", g, kv, err)
	}
	if who, err := s.Who(t.Context(), "nightly"); err != nil || len(who) != 1 || who[0].Fence != g.Fence {
		t.Errorf("who is %+v, %v", who, err)
	}
	n.Unlock([]string{"nightly"}, 0)
	await(t, "the release", r.released)
	if who, err := s.Who(t.Context(), "nightly"); err != nil || len(who) != 0 {
		t.Errorf("after the release who is %+v, %v", who, err)
	}
}

// TestPromise02RisingFences: each grant of a name has a greater fence.
func TestPromise02RisingFences(t *testing.T) {
	server := etcdtest.Start(t)
	hosts := []*leases.Service{open(t, []string{server.Endpoint}, nil), open(t, []string{server.Endpoint}, nil)}
	var last int64
	for i := range 200 {
		n, _, g := lock(t, hosts[i%2], "counter")
		if g.Fence <= last {
			t.Fatalf("fence %d after %d", g.Fence, last)
		}
		last = g.Fence
		n.End()
	}
}

func TestDeletedEntryEndsItsSession(t *testing.T) {
	server := etcdtest.Start(t)
	client := server.Client(t)
	s := open(t, []string{server.Endpoint}, nil)
	ctx := t.Context()

	_, r, g := lock(t, s, "a")
	if _, err := client.Delete(ctx, g.Keys[0]); err != nil {
		t.Fatal(err)
	}
	if reason := await(t, "the loss", r.lost); reason != core.EntryDeleted {
		t.Errorf("a deleted entry is lost by %s", reason)
	}
	_, r, g = lock(t, s, "a")
	if _, err := client.Put(ctx, g.Keys[0], "mine"); err != nil {
		t.Fatal(err)
	}
	if reason := await(t, "the loss", r.lost); reason != core.EntryDeleted {
		t.Errorf("an overwritten entry is lost by %s", reason)
	}
	lock(t, s, "a")
	awaitQueue(t, s, "a", 1) // what was put over the entry is deleted
}

// TestRevokedLeaseEndsItsSessions: the holder and the waiter on a revoked lease
// are told that it was revoked, unless etcd takes longer to confirm that than a
// loss may be kept from them.
func TestRevokedLeaseEndsItsSessions(t *testing.T) {
	server := etcdtest.Start(t)
	client := server.Client(t)
	for range 10 {
		s := open(t, []string{server.Endpoint}, nil)
		_, r, g := lock(t, s, "a")
		w := newRecorder()
		if err := s.Session(w).Lock(leases.Request{Names: []string{"a"}, Wait: leases.Forever}); err != nil {
			t.Fatal(err)
		}
		awaitQueue(t, s, "a", 2)
		if _, err := client.Revoke(t.Context(), clientv3.LeaseID(g.Lease)); err != nil {
			t.Fatal(err)
		}
		first, second := await(t, "the loss", r.lost), await(t, "the waiter's loss", w.lost)
		if first == core.LeaseRevoked && second == core.LeaseRevoked {
			lock(t, s, "a")
			return
		}
		t.Logf("told %s and %s", first, second)
	}
	t.Error("never told that the lease was revoked")
}

func TestTriesAndWaitsEnd(t *testing.T) {
	server := etcdtest.Start(t)
	one := open(t, []string{server.Endpoint}, nil)
	two := open(t, []string{server.Endpoint}, nil)
	lock(t, one, "a")
	for _, s := range []*leases.Service{one, two} {
		for wait, want := range map[time.Duration]error{0: leases.ErrBusy, 50 * time.Millisecond: leases.ErrTimeout} {
			r := newRecorder()
			if err := s.Session(r).Lock(leases.Request{Names: []string{"a"}, Wait: wait}); err != nil {
				t.Fatal(err)
			}
			if err := await(t, "the refusal", r.refused); !errors.Is(err, want) {
				t.Errorf("wait %v: %v, want %v", wait, err, want)
			}
		}
	}
}
