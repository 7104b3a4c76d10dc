package faults_test

import (
	"errors"
	"io"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// fresh waits until a lock's lease was just renewed, so that what follows has
// nearly all of its time, and returns what is left.
func (c *client) fresh(name string, g grant) time.Duration {
	c.t.Helper()
	var left time.Duration
	eventually(c.t, patience, "renewal", func() bool {
		left = c.check(name, g)
		return left > ttl-margin-200*time.Millisecond
	})
	return left
}

// leaseLeft asks how long the daemon's one lease is safe.
func (c *client) leaseLeft() time.Duration {
	c.t.Helper()
	_, lines := c.ask("STATUS")
	for _, line := range lines {
		if line.Fields.Get("about") == "lease" {
			return line.Fields.Duration("left")
		}
	}
	c.t.Fatal("STATUS tells of no lease")
	return 0
}

// untilLost asks again and again how long a lock is safe, until it is lost. It
// returns the moments at which the last answer said that the session would end
// at the earliest and at the latest, and the one at which it did.
func (c *client) untilLost(name string) (earliest, latest, ended time.Duration) {
	c.t.Helper()
	for {
		sent := now()
		if err := c.post("CHECK " + name); err != nil {
			return earliest, latest, now()
		}
		r, _, err := c.reply()
		switch {
		case errors.Is(err, io.EOF), r.Kind == ipc.KindEvent:
			return earliest, latest, now()
		case err != nil || r.Kind != ipc.KindOK:
			c.t.Fatalf("CHECK is answered %s, %v", r.Append(nil), err)
		}
		left := r.Fields.Duration("left")
		earliest, latest = sent+left, now()+left
		if c.ends(min(20*time.Millisecond, max(left/2, time.Millisecond))) {
			return earliest, latest, now()
		}
	}
}

// inTime holds that a session ended when the deadline less margin had come, and
// not so late that half of the margin was gone.
func inTime(t testing.TB) func(earliest, latest, ended time.Duration) {
	t.Helper()
	return func(earliest, latest, ended time.Duration) {
		t.Helper()
		if early := earliest - ended; early > 20*time.Millisecond {
			t.Errorf("end-of-file came %v too early", early)
		}
		if late := ended - latest; late > margin/2 {
			t.Errorf("end-of-file came %v after the deadline less margin", late)
		}
		t.Logf("end-of-file came %v after the deadline less margin", ended-latest)
	}
}

// TestEtcdFrozenForLessThanTheTTL: nothing is lost.
func TestEtcdFrozenForLessThanTheTTL(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	one, two := startHost(t, "a", member.Endpoint), startHost(t, "b", member.Endpoint)
	holder, g := one.lock(t, "nightly")
	waiter := two.wait(t, "nightly")
	witness := two.dial(t)
	for range 3 {
		left := min(holder.fresh("nightly", g), witness.leaseLeft())
		member.Stop(t)
		time.Sleep(left - 700*time.Millisecond)
		holder.check("nightly", g)
		member.Cont(t)
		holder.fresh("nightly", g)
		waiter.stillOpen(10 * time.Millisecond)
	}
	holder.unlock("nightly")
	if next := waiter.granted(); next.fence <= g.fence {
		t.Errorf("fence %d after %d", next.fence, g.fence)
	}
}

// TestEtcdFrozenForLonger: sessions end before the deadline, and nothing comes
// back with etcd.
func TestEtcdFrozenForLonger(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	h := startHost(t, "a", member.Endpoint)
	holder, g := h.lock(t, "nightly")
	waiter := h.wait(t, "nightly")
	idle := h.dial(t)
	idle.ask("PING")

	member.Stop(t)
	inTime(t)(holder.untilLost("nightly"))
	waiter.lost(ipc.ReasonDeadline) // it shared the holder's lease
	idle.refused("LOCK other wait=100ms", ipc.CodeUnavailable)
	idle.send("LOCK nightly")
	idle.stillOpen(time.Second)
	member.Cont(t)
	next := idle.granted()
	if next.fence <= g.fence || next.lease == g.lease {
		t.Errorf("after %+v came %+v", g, next)
	}
	idle.unlock("nightly")
	etcd := member.Client(t)
	nothingLeft(t, etcd, atOnce)
	eventually(t, patience, "end of the old lease", func() bool {
		l, err := etcd.TimeToLive(soon(t), clientv3.LeaseID(g.lease))
		return err == nil && l.TTL == -1
	})
}

// TestPromise03ClosedInTime: a host that is cut off closes its sessions before
// etcd gives their locks to another host.
func TestPromise03ClosedInTime(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	leader := cluster.Leader(t)
	var follower *etcdtest.Process
	var others []string
	for _, m := range cluster.Members {
		if m != leader && follower == nil {
			follower = m
		} else {
			others = append(others, m.Endpoint)
		}
	}
	cut, well := startHost(t, "cut off", follower.Endpoint), startHost(t, "well", others...)
	holder, g := cut.lock(t, "nightly")
	waiter := well.wait(t, "nightly")

	follower.Stop(t) // all that the first host knows of etcd
	granted := make(chan time.Duration, 1)
	var next grant
	go func() {
		next = waiter.granted()
		granted <- now()
	}()
	earliest, latest, ended := holder.untilLost("nightly")
	inTime(t)(earliest, latest, ended)
	ahead := await(t, "the other host's grant", granted) - ended
	t.Logf("end-of-file came %v before the other host's grant", ahead)
	if ahead < margin/2 {
		t.Errorf("end-of-file came only %v before the other host's grant", ahead)
	}
	if next.fence <= g.fence {
		t.Errorf("fence %d after %d", next.fence, g.fence)
	}
	follower.Cont(t)
	cut.dial(t).refused("LOCK nightly wait=0", ipc.CodeBusy)
}
