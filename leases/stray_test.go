package leases_test

import (
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/leases"
	"lockside/leases/etcdtest"
)

// TestStrayEntryIsRemoved: an entry on a lease of ours that we know nothing of
// is found and deleted, since nothing else ever would while the lease lives.
func TestStrayEntryIsRemoved(t *testing.T) {
	server := etcdtest.Start(t)
	client := server.Client(t)
	s := open(t, []string{server.Endpoint}, func(c *leases.Config) { c.Core.ReconcileEvery = 100 * time.Millisecond })
	_, r, g := lock(t, s, "a")
	stray := fmt.Sprintf("lockside/b/%x-7", g.Lease)
	if _, err := client.Put(t.Context(), stray, "", clientv3.WithLease(clientv3.LeaseID(g.Lease))); err != nil {
		t.Fatal(err)
	}
	awaitQueue(t, s, "b", 0)
	if found := s.Status().Locks.Counts.Orphans; found != 1 {
		t.Errorf("%d strays found", found)
	}
	if len(r.lost) > 0 {
		t.Error("the holder is lost")
	}
}
