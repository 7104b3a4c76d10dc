package faults_test

import (
	"testing"
	"time"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestAnswersSwallowed: etcd has done what it was asked, and the connection is
// lost before the daemon hears of it. It finds out, and does nothing twice.
func TestAnswersSwallowed(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	etcd := member.Client(t)
	r := newRelay(t, member)
	h := newHost(t, "a", r.Endpoint)
	h.config.TTL = longTTL
	h.run(t, nil)
	var last int64
	for range 5 {
		c := h.dial(t)
		h.settled(t)
		swallow(r, func() {
			c.send("LOCK nightly")
			awaitQueue(t, etcd, "nightly", 1)
		})
		g := c.granted()
		if entries := queue(t, etcd, "nightly"); len(entries) != 1 || entries[0].CreateRevision != g.fence {
			t.Errorf("fence %d is told of %v", g.fence, entries)
		}
		if g.fence <= last {
			t.Errorf("fence %d after %d", g.fence, last)
		}
		last = g.fence
		h.settled(t)
		swallow(r, func() {
			c.send("UNLOCK nightly")
			awaitQueue(t, etcd, "nightly", 0)
		})
		if reply, _, err := c.reply(); err != nil || reply.Kind != ipc.KindOK {
			t.Errorf("UNLOCK is answered %s, %v", reply.Append(nil), err)
		}
		quitter := h.dial(t)
		h.settled(t)
		swallow(r, func() {
			quitter.send("LOCK nightly")
			awaitQueue(t, etcd, "nightly", 1)
			quitter.hangUp()
		})
		nothingLeft(t, etcd, patience)
	}
}

// settled waits until no request is under way whose answer others wait for.
func (h *host) settled(t testing.TB) {
	t.Helper()
	c, _ := h.lock(t, "settled")
	c.unlock("settled")
	c.hangUp()
}

// swallow does something whose answer does not come back.
func swallow(r *relay, do func()) {
	r.answers.close()
	do()
	r.cut()
	r.answers.open()
}

// TestRenewalAnsweredTooLate: renewals reach etcd, which extends the lease, but
// their answers come only after the deadline. The lock is lost in time and stays
// so.
func TestRenewalAnsweredTooLate(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	r := newRelay(t, member)
	h, well := startHost(t, "late", r.Endpoint), startHost(t, "well", member.Endpoint)
	told := newRecord(t)
	s := newSuccession(t, "nightly", told, h, well)
	left := s.holder.check("nightly", s.held)
	r.answers.close()
	began := now()
	ended, granted := s.passes(ipc.ReasonDeadline)
	t.Logf("granted %v after end-of-file", granted-ended)
	if took := ended - began; took < left-20*time.Millisecond {
		t.Errorf("end-of-file after %v, with %v left", took, left)
	}
	r.answers.open()
	h.dial(t).refused("LOCK nightly wait=0", ipc.CodeBusy)
	s.finish()
}
