package faults_test

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/leases/etcdtest"
)

// rideTTL leaves room for an election, which takes etcd up to two seconds, and
// for the renewals that it swallows.
const rideTTL = 7 * time.Second

// TestPromise07RideOutBlips: while a lock is held on one host and waited for on
// another, members freeze, die and restart, leaders move, history is compacted
// and stores are defragmented. Nothing is lost, and the waiter has its turn.
func TestPromise07RideOutBlips(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	one, two := rider(t, "a", cluster.Endpoints()), rider(t, "b", cluster.Endpoints())
	for name, blip := range map[string]func(*testing.T, *etcdtest.Cluster){
		"leader frozen":    func(t *testing.T, c *etcdtest.Cluster) { freezeFor(t, c.Leader(t), rideTTL/2) },
		"leader killed":    func(t *testing.T, c *etcdtest.Cluster) { c.Leader(t).Restart(t) },
		"follower killed":  func(t *testing.T, c *etcdtest.Cluster) { followers(t, c)[0].Restart(t) },
		"leader moved":     moveLeader,
		"compacted":        compact,
		"defragmented":     defragment,
		"watchers and all": func(t *testing.T, c *etcdtest.Cluster) { moveLeader(t, c); compact(t, c); defragment(t, c) },
	} {
		t.Run(name, func(t *testing.T) {
			ridesOut(t, one, two, func() { blip(t, cluster) }, cluster.Client(t))
		})
	}
}

// TestLeaderFrozenForLonger: a leader that freezes for longer than the TTL costs
// no lock as long as it is frozen. It does not come back here: etcd up to 3.7.3
// looks at its clock before it finds itself deposed, and may revoke leases that
// it has not seen renewed.
func TestLeaderFrozenForLonger(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	one, two := rider(t, "a", cluster.Endpoints()), rider(t, "b", cluster.Endpoints())
	ridesOut(t, one, two, func() {
		cluster.Leader(t).Stop(t)
		time.Sleep(rideTTL)
	}, cluster.Client(t))
}

// TestFollowersFrozen: hosts that know two followers alone lose nothing while
// either of them is frozen for longer than the TTL.
func TestFollowersFrozen(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	both := followers(t, cluster)
	endpoints := []string{both[0].Endpoint, both[1].Endpoint}
	one, two := rider(t, "a", endpoints), rider(t, "b", endpoints)
	etcd := cluster.Leader(t).Client(t)
	for _, m := range both {
		ridesOut(t, one, two, func() { freezeFor(t, m, rideTTL) }, etcd)
	}
}

// rider is a host whose default TTL lets it ride out an election.
func rider(t *testing.T, name string, endpoints []string) *host {
	t.Helper()
	h := newHost(t, name, endpoints...)
	h.config.TTL = rideTTL
	h.run(t, nil)
	return h
}

// ridesOut has one host hold and the other wait while something happens, and
// then hands the lock over.
func ridesOut(t *testing.T, one, two *host, happens func(), etcd *clientv3.Client) {
	t.Helper()
	holder, held := one.lock(t, "nightly")
	waiter := two.wait(t, "nightly")
	awaitQueue(t, etcd, "nightly", 2)
	renewed(t, one, two)
	happens()
	holder.check("nightly", held)
	waiter.stillOpen(10 * time.Millisecond)
	began := time.Now()
	holder.unlock("nightly")
	next := waiter.granted()
	t.Logf("handed over in %v", time.Since(began))
	if next.fence <= held.fence {
		t.Errorf("fence %d after %d", next.fence, held.fence)
	}
	waiter.unlock("nightly")
}

// renewed waits until the leases of hosts have nearly all of their time, so that
// one blip does not add to the one before.
func renewed(t *testing.T, hosts ...*host) {
	t.Helper()
	for _, h := range hosts {
		witness := h.dial(t)
		eventually(t, patience, "renewal", func() bool { return witness.leaseLeft() > rideTTL-2*time.Second })
		witness.hangUp()
	}
}

func freezeFor(t *testing.T, m *etcdtest.Process, d time.Duration) {
	t.Helper()
	m.Stop(t)
	time.Sleep(d)
	m.Cont(t)
}

func followers(t *testing.T, c *etcdtest.Cluster) (all []*etcdtest.Process) {
	t.Helper()
	leader := c.Leader(t)
	for _, m := range c.Members {
		if m != leader {
			all = append(all, m)
		}
	}
	return all
}

// moveLeader hands the office from member to member.
func moveLeader(t *testing.T, c *etcdtest.Cluster) {
	t.Helper()
	for range 3 {
		next := followers(t, c)[0]
		status, err := next.Client(t).Status(soon(t), next.Endpoint)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Leader(t).Client(t).MoveLeader(soon(t), status.Header.MemberId); err != nil {
			t.Fatal(err)
		}
	}
}

// compact forgets history as fast as it is written.
func compact(t *testing.T, c *etcdtest.Cluster) {
	t.Helper()
	etcd := c.Client(t)
	for range 30 {
		resp, err := etcd.Put(soon(t), "other", "value")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := etcd.Compact(soon(t), resp.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
			t.Fatal(err)
		}
	}
}

func defragment(t *testing.T, c *etcdtest.Cluster) {
	t.Helper()
	etcd := c.Client(t)
	for _, m := range c.Members {
		if _, err := etcd.Defragment(soon(t), m.Endpoint); err != nil {
			t.Fatal(err)
		}
	}
}
