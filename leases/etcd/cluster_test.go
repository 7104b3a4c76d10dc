package etcd_test

import (
	"errors"
	"testing"
	"time"

	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

// A call that the frozen leader does not answer ends within its time-out, and the
// ones after it go elsewhere.
func TestCallsLeaveAFrozenLeader(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	const callTimeout = time.Second
	c := newClient(t, etcd.Config{Endpoints: cluster.Endpoints(), CallTimeout: callTimeout})
	eventually(t, "all members to be well", healthy(c, 3))
	before := mustTxn(t, c, put("a", "1", 0))

	frozen := cluster.Leader(t)
	frozen.Stop(t)
	begin := time.Now()
	_, err := c.Txn(soon(t), then(put("a", "2", 0)))
	if took := time.Since(begin); !errors.Is(err, etcd.ErrUnknownOutcome) || took < callTimeout/2 || took > 10*callTimeout {
		t.Errorf("after %v the txn gives %v, want %v", took, err, etcd.ErrUnknownOutcome)
	}
	if _, err := c.Read(soon(t), then(get("a"))); err != nil {
		t.Errorf("read: %v", err)
	}
	mustGrant(t, c, 1, time.Minute)
	if after := mustTxn(t, c, put("a", "3", 0)); after <= before {
		t.Errorf("revision %d after %d", after, before)
	}

	// It wakes up as one that still believes in its office, and is asked no more.
	frozen.Cont(t)
	eventually(t, "all members to be well", healthy(c, 3))
	if _, err := c.Read(soon(t), then(get("a"))); err != nil {
		t.Errorf("read: %v", err)
	}
}

func TestStatusKnowsEachMember(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	c := newClient(t, etcd.Config{Endpoints: cluster.Endpoints()})
	eventually(t, "all members to be well", healthy(c, 3))
	cluster.Members[1].Kill(t)
	eventually(t, "a member to fail", healthy(c, 2))
	eventually(t, "another leader", func() bool { return leaders(c) == 1 })
	s := c.Status()
	if s.ClusterID == 0 || s.Regressed != nil || len(s.Endpoints) != 3 {
		t.Errorf("status is %+v", s)
	}
	members := make(map[uint64]bool)
	for i, e := range s.Endpoints {
		members[e.MemberID] = true
		if dead := i == 1; e.URL != cluster.Members[i].Endpoint || e.Version == "" || e.Healthy == dead || (e.Err != nil) != dead {
			t.Errorf("status of member %d is %+v", i, e)
		}
	}
	if len(members) != 3 {
		t.Errorf("members are %v", members)
	}
	cluster.Members[1].Restart(t)
	eventually(t, "all members to be well", healthy(c, 3))
}

// leaders counts the healthy endpoints that lead.
func leaders(c *etcd.Client) int {
	n := 0
	for _, e := range c.Status().Endpoints {
		if e.Healthy && e.Role == etcd.RoleLeader {
			n++
		}
	}
	return n
}
