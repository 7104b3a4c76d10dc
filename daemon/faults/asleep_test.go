package faults_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/daemon"
	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestDaemonFrozenForLongerThanTheTTL: once a frozen daemon goes on, its clients
// read end-of-file before it serves any request, whatever had been sent.
func TestDaemonFrozenForLongerThanTheTTL(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h := newHost(t, "frozen", server.Endpoint)
	process := h.startDaemon(t)
	other := startHost(t, "b", server.Endpoint)
	holder, g := h.lock(t, "nightly")
	asking, _ := h.lock(t, "another")
	idle := h.dial(t)
	idle.ask("PING")
	successor := other.wait(t, "nightly")

	process.freeze()
	asking.send("CHECK another")
	asking.send("UNLOCK another")
	idle.send("PING")
	if next := successor.granted(); next.fence <= g.fence {
		t.Errorf("fence %d after %d", next.fence, g.fence)
	}
	process.signal(unix.SIGCONT)
	if r, _, err := idle.reply(); err != nil || r.Kind != ipc.KindOK {
		t.Errorf("PING is answered %s, %v", r.Append(nil), err)
	}
	for _, c := range []*client{holder, asking} {
		if !c.over() {
			t.Error("a request was served before a lost session was ended")
		}
		c.lost(ipc.ReasonDeadline, ipc.ReasonLeaseExpired, ipc.ReasonLeaseRevoked)
	}
	idle.refused("LOCK nightly wait=0", ipc.CodeBusy)
	successor.check("nightly", grant{fence: queue(t, server.Client(t), "nightly")[0].CreateRevision})
}

// TestClockJumps: a host that was suspended for longer than the TTL ends its
// sessions before it serves any request, even if that request is what wakes it.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	for name, clock := range map[string]*jumpingClock{
		"alarms ring":  {},
		"alarms sleep": {deaf: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := etcdtest.Start(t)
			h := newHost(t, "suspended", server.Endpoint)
			h.run(t, func(o *daemon.Options) { o.Clock = clock })
			for _, request := range []string{"PING", "STATUS", "HELP", "LIST", "CHECK other", "LOCK third", "UNLOCK fourth", "WHO nightly"} {
				idle := h.dial(t)
				idle.ask("PING")
				holder, g := h.lock(t, "nightly")
				waiter := h.wait(t, "nightly")
				holder.fresh("nightly", g)
				clock.jump(ttl - margin - 500*time.Millisecond)
				holder.check("nightly", g)
				clock.jump(ttl - margin)
				idle.ask(request)
				for _, c := range []*client{holder, waiter} {
					if !c.over() {
						t.Errorf("%s was served before a lost session was ended", request)
					}
					c.lost(ipc.ReasonDeadline)
				}
				idle.hangUp()
			}
			last, _ := h.lock(t, "nightly")
			last.unlock("nightly")
			nothingLeft(t, server.Client(t), atOnce)
		})
	}
}
