package faults_test

import (
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestCase_kubearchive1176_Defragmentation: the only member's store is blocked while it is
// written anew, with something in it to write.
func TestCase_kubearchive1176_Defragmentation(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 1)
	etcd := cluster.Client(t)
	for i := range 8 {
		if _, err := etcd.Put(soon(t), fmt.Sprintf("bulk/%d", i), string(make([]byte, 1<<20))); err != nil {
			t.Fatal(err)
		}
	}
	rides(t, riders(t, cluster.Endpoints()), func() { defragment(t, cluster) })
}

// TestCase_etcd20589_SlowApplies: deletions of many keys at a time hold up what etcd
// does, and no lock is lost by it.
func TestCase_etcd20589_SlowApplies(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 1)
	etcd := cluster.Client(t)
	rides(t, riders(t, cluster.Endpoints()), func() {
		bulk(t, etcd, 10_000)
	})
}

// TestCase_CVE202633413_TokensEndWhileHeld: etcd looks at the token of each renewal. It
// ends while a lock is held, more than once, and nobody notices.
func TestCase_CVE202633413_TokensEndWhileHeld(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 1, etcdtest.WithTokenTTL(1))
	enableLogin(t, cluster)
	var hosts []*host
	for _, name := range []string{"a", "b"} {
		h := newHost(t, name, cluster.Endpoints()...)
		h.config.TTL, h.config.User, h.config.Password = 2*ttl, "lock", "lock"
		h.run(t, nil)
		hosts = append(hosts, h)
	}
	rides(t, hosts, func() { time.Sleep(3 * time.Second) }) // as many tokens
}

// TestCase_consul985_DiskFull: etcd takes no more writes, as its quota is used up. What is
// held is held on and can be given up, nothing new is granted, and it says so in time.
func TestCase_consul985_DiskFull(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, etcdtest.WithQuota(2<<20))
	etcd := server.Client(t)
	h := rider(t, "a", []string{server.Endpoint})
	holder, g := h.lock(t, "nightly")
	released, _ := h.lock(t, "released")
	exhaust(t, etcd)
	lasts := now() + rideTTL
	for now() < lasts {
		holder.check("nightly", g)
		holder.stillOpen(200 * time.Millisecond)
	}
	released.unlock("released")
	c := h.dial(t)
	c.refused("LOCK other wait=1s", ipc.CodeUnavailable)
	holder.check("nightly", g)
	makeRoom(t, etcd, server.Endpoint)
	c.lock("LOCK other")
	holder.unlock("nightly")
}

// bulk writes many keys and deletes them in one step of etcd.
func bulk(t testing.TB, etcd *clientv3.Client, keys int) {
	t.Helper()
	for i := 0; i < keys; i += 100 {
		var puts []clientv3.Op
		for j := range 100 {
			puts = append(puts, clientv3.OpPut(fmt.Sprintf("bulk/%d", i+j), ""))
		}
		if _, err := etcd.Txn(soon(t)).Then(puts...).Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if resp, err := etcd.Delete(soon(t), "bulk/", clientv3.WithPrefix()); err != nil || resp.Deleted != int64(keys) {
		t.Fatalf("deleted %+v, %v", resp, err)
	}
}
