package faults_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"lockside/leases/etcdtest"
)

// TestCase_etcd22081_NoQuorumForAWhile: two of three members stop for half of a TTL.
// That there is no leader is no loss, for nobody on the host.
func TestCase_etcd22081_NoQuorumForAWhile(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	hosts := riders(t, cluster.Endpoints())
	third, g := startWith(t, "c", stormTTL, cluster.Endpoints()...).lock(t, "third")
	rides(t, hosts, func() {
		for _, m := range cluster.Members[:2] {
			m.Stop(t)
		}
		third.stillOpen(rideTTL / 2)
		for _, m := range cluster.Members[:2] {
			m.Cont(t)
		}
	})
	third.check("third", g)
}

// TestCase_etcd15247_LeaderStalls: a leader stands still for longer than an election
// takes, and comes back believing in its office. It costs no lock.
func TestCase_etcd15247_LeaderStalls(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	hosts := riders(t, cluster.Endpoints())
	for range 2 {
		rides(t, hosts, func() { freezeFor(t, cluster.Leader(t), 3*time.Second) })
	}
}

// TestCase_pd10746_LeaderHangs: a leader hangs for longer than the TTL, and the daemons
// that were attached to it renew elsewhere.
func TestCase_pd10746_LeaderHangs(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	leader, endpoints := leaderFirst(t, cluster)
	hosts := riders(t, endpoints)
	rides(t, hosts, func() {
		leader.Stop(t)
		hosts[0].dial(t).ask("PING")
		c, _ := hosts[0].lock(t, "meanwhile")
		c.stillOpen(rideTTL)
	})
}

// TestCase_etcd14631_StartWithAFrozenMember: a daemon starts, and locks, although the
// first member that it is told of has just stopped answering.
func TestCase_etcd14631_StartWithAFrozenMember(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	leader, endpoints := leaderFirst(t, cluster)
	leader.Stop(t)
	began := now()
	h := startHost(t, "a", endpoints...)
	h.lock(t, "nightly")
	if took := now() - began; took > 3*atOnce {
		t.Errorf("started and locked in %v", took)
	}
}

// TestCase_consul1290_MembersRestarted: during one hold every member is killed and
// started again, the connected one and the leader among them.
func TestCase_consul1290_MembersRestarted(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	hosts := riders(t, cluster.Endpoints())
	holder, g := startWith(t, "c", stormTTL, cluster.Endpoints()...).lock(t, "nightly")
	rides(t, hosts, func() {
		for _, m := range cluster.Members {
			m.Restart(t)
			holder.check("nightly", g)
		}
		cluster.Leader(t).Restart(t)
	})
	holder.check("nightly", g)
}

// TestCase_etcd12381_TimeLeftWhileLeadersMove: however many ask and whatever a leader
// says of leases that it has just taken over, no more time is left than was granted.
func TestCase_etcd12381_TimeLeftWhileLeadersMove(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	h := rider(t, "a", cluster.Endpoints())
	done := make(chan struct{})
	var asking sync.WaitGroup
	for i := range 4 {
		name := fmt.Sprintf("name-%d", i)
		c, g := h.lock(t, name)
		asking.Go(func() {
			for {
				if left := max(c.check(name, g), c.leaseLeft()); left > rideTTL-h.config.MarginOf(rideTTL) {
					t.Errorf("%v are left", left)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range 3 {
		moveLeader(t, cluster)
	}
	close(done)
	asking.Wait()
}

// leaderFirst is a cluster's leader, and its endpoints in the order in which a daemon
// that does not know better would try the leader first.
func leaderFirst(t *testing.T, cluster *etcdtest.Cluster) (leader *etcdtest.Process, endpoints []string) {
	t.Helper()
	leader = cluster.Leader(t)
	endpoints = []string{leader.Endpoint}
	for _, m := range followers(t, cluster) {
		endpoints = append(endpoints, m.Endpoint)
	}
	return leader, endpoints
}
