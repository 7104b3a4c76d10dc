package faults_test

import (
	"testing"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestRestoreIsNoticedByIdleHosts: a host that takes no lock knows how far others
// have brought etcd, and notices that it went back behind that. Each host accepts
// for itself.
func TestRestoreIsNoticedByIdleHosts(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	busy, idle := newHost(t, "busy", server.Endpoint), newHost(t, "idle", server.Endpoint)
	busy.startDaemon(t)
	idle.startDaemon(t)
	putBack := regressions()[0].prepare(t, server)
	var latest grant
	for range 3 {
		c, g := busy.lock(t, "nightly")
		c.unlock("nightly")
		c.hangUp()
		latest = g
	}
	looker := idle.dial(t)
	eventually(t, patience, "idle host's look", func() bool { return looker.store().Int("revision") >= latest.fence })
	putBack()
	for _, h := range []*host{busy, idle} {
		if remembered := h.awaitRegressed(t).Int("remembered"); remembered < latest.fence {
			t.Errorf("%s remembers %d after fence %d", h.config.Host, remembered, latest.fence)
		}
	}
	busy.accept(t, "ACCEPT-RESTORE raise")
	idle.dial(t).refused("LOCK nightly", ipc.CodeRegressed)
	idle.accept(t, "ACCEPT-RESTORE") // the other has raised the revision
	if c, g := idle.lock(t, "nightly"); g.fence <= latest.fence {
		t.Errorf("fence %d after %d", g.fence, latest.fence)
	} else {
		c.unlock("nightly")
	}
}
