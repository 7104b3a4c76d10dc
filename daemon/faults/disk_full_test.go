package faults_test

import (
	"testing"

	"lockside/leases/etcdtest"
)

// diskSize has room for the logs that etcd allocates ahead, of 64 MB each.
const diskSize = 200 << 20

// TestDiskFull: the leader's disk is full, and then a follower's, until the
// member has ended of it, and has room again. No lock is lost.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	var disks []*disk
	var places []etcdtest.Place
	for range 3 {
		d := newDisk(t, diskSize)
		disks, places = append(disks, d), append(places, d.place())
	}
	b := &bench{cluster: etcdtest.StartClusterAt(t, places), told: newRecord(t)}
	for _, name := range []string{"a", "b"} {
		h := newHost(t, name, b.cluster.Endpoints()...)
		h.config.TTL = awayTTL
		h.run(t, nil)
		b.sites = append(b.sites, &site{host: h})
	}
	all := b.vigils(t)
	for _, beside := range []int{0, 1} {
		i := (b.leader(t) + beside) % 3
		disks[i].fill()
		writeUntilEnded(t, b.cluster, b.cluster.Members[i])
		least := renewAll(t, all)
		disks[i].empty()
		b.cluster.Members[i].Restart(t)
		t.Logf("member %d ended of its full disk; %v left at least", i, min(least, renewAll(t, all)))
	}
	endAll(all)
}

// writeUntilEnded writes to etcd until a member has ended.
func writeUntilEnded(t testing.TB, c *etcdtest.Cluster, m *etcdtest.Process) {
	t.Helper()
	etcd := c.Client(t)
	value := string(make([]byte, 1<<20))
	eventually(t, 2*patience, "end of a member whose disk is full", func() bool {
		_, _ = etcd.Put(soon(t), "ballast", value) // fails when the member is the one that ends
		return m.Ended()
	})
}
