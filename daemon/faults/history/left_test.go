package history_test

import (
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/daemon/faults/history"
	"lockside/leases/etcdtest"
)

// TestLeft finds entries, keys and leases, and nothing of other prefixes.
func TestLeft(t *testing.T) {
	etcd := etcdtest.Start(t).Client(t)
	left := func() history.Leftover {
		t.Helper()
		left, err := history.Left(t.Context(), etcd, "lockside/")
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	if text := left().String(); text != "" {
		t.Errorf("in an empty store is %s", text)
	}
	if _, err := etcd.Put(t.Context(), "locks/x/5-0", ""); err != nil {
		t.Fatal(err)
	}
	lease, err := etcd.Grant(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"lockside/x/5-0", "lockside/!5"} {
		if _, err := etcd.Put(t.Context(), key, "", clientv3.WithLease(lease.ID)); err != nil {
			t.Fatal(err)
		}
	}
	got := left()
	if len(got.Entries) != 1 || got.Entries[0] != "lockside/x/5-0" || len(got.Own) != 1 || got.Own[0] != "lockside/!5" ||
		len(got.Leases) != 1 || got.Leases[0] != int64(lease.ID) || got.String() == "" {
		t.Errorf("there is %+v", got)
	}
	if _, err := etcd.Revoke(t.Context(), lease.ID); err != nil {
		t.Fatal(err)
	}
	if text := left().String(); text != "" {
		t.Errorf("after the lease is %s", text)
	}
}
