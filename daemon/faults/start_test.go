package faults_test

import (
	"testing"
	"time"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestEtcdAwayAtStart: the daemon is ready without etcd, says so, refuses in the
// time asked for, and serves once etcd comes.
func TestEtcdAwayAtStart(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	for name, away := range map[string]func(){
		"killed": func() { member.Kill(t) },
		"frozen": func() { member.Restart(t); member.Stop(t) },
	} {
		t.Run(name, func(t *testing.T) {
			away()
			began := time.Now()
			h := startHost(t, "a", member.Endpoint)
			if took := time.Since(began); took > atOnce {
				t.Errorf("ready after %v", took)
			}
			c := h.dial(t)
			c.answersWithin("LOCK x wait=1s", ipc.CodeUnavailable, time.Second, patience)
			c.answersWithin("LOCK x wait=0", ipc.CodeUnavailable, 0, patience)
			c.answersWithin("WHO x", ipc.CodeUnavailable, 0, patience)
			began = time.Now()
			if health := c.health(); health != "unavailable" {
				t.Errorf("STATUS says health=%s", health)
			}
			if took := time.Since(began); took > atOnce {
				t.Errorf("STATUS took %v", took)
			}
			c.send("LOCK x")
			c.stillOpen(50 * time.Millisecond)
			member.Restart(t)
			began = time.Now()
			c.granted()
			t.Logf("granted %v after etcd was there", time.Since(began))
			eventually(t, patience, "health", func() bool { return c.health() == "ok" })
			c.hangUp()
			nothingLeft(t, member.Client(t), atOnce)
		})
	}
}

// answersWithin holds how long a refusal takes.
func (c *client) answersWithin(request string, code ipc.Code, least, most time.Duration) {
	c.t.Helper()
	began := time.Now()
	c.refused(request, code)
	if took := time.Since(began); took < least || took > most {
		c.t.Errorf("%s is answered after %v, want %v to %v", request, took, least, most)
	}
}

// TestEtcdGoesAndComes: a daemon whose etcd is killed and restarted keeps its
// locks, and one whose etcd stays away says so.
func TestEtcdGoesAndComes(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	h := startHost(t, "a", member.Endpoint)
	holder, g := h.lock(t, "nightly")
	for range 3 {
		holder.fresh("nightly", g)
		member.Restart(t)
		holder.fresh("nightly", g)
	}
	member.Kill(t)
	c := h.dial(t)
	eventually(t, patience, "health", func() bool { return c.health() == "unavailable" })
	c.refused("LOCK other wait=500ms", ipc.CodeUnavailable)
	holder.lost(ipc.ReasonDeadline)
	if health := c.health(); health != "unavailable" {
		t.Errorf("STATUS says health=%s", health)
	}
	member.Restart(t)
	if next := c.lock("LOCK nightly"); next.fence <= g.fence {
		t.Errorf("fence %d after %d", next.fence, g.fence)
	}
}
