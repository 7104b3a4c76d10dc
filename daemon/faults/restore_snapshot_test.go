package faults_test

import (
	"testing"
	"time"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// A restored is a host whose etcd a snapshot was taken of, and what its clients had
// before the snapshot and after it.
type restored struct {
	host           *host
	server         *etcdtest.Server
	process        *process
	snapshot       string
	kept, later    *client // hold a name since before the snapshot, and since after it
	waiter         *client // waits behind kept since before
	keptAs, latest grant
}

// moments are when a snapshot is restored: under a running daemon, or a stopped one.
func moments() map[string]bool { return map[string]bool{"running": true, "stopped": false} }

// liveOn has clients come and go before and after a snapshot. A daemon that is
// stopped gives its leases back, the snapshot brings them back, and nobody renews
// them: so they are to be short.
func liveOn(t *testing.T, running bool) *restored {
	t.Helper()
	r := &restored{server: etcdtest.Start(t)}
	r.host = newHost(t, "a", r.server.Endpoint)
	if running {
		r.host.config.TTL = longTTL
	}
	r.process = r.host.startDaemon(t)
	r.kept, r.keptAs = r.host.lock(t, "kept")
	r.waiter = r.host.wait(t, "kept")
	released, _ := r.host.lock(t, "released") // given up after the snapshot, which has it still
	r.snapshot = r.server.Snapshot(t)
	released.unlock("released")
	r.later, r.latest = r.host.lock(t, "later")
	for range 3 {
		c, g := r.host.lock(t, "passing")
		c.unlock("passing")
		c.hangUp()
		r.latest = g
	}
	return r
}

// TestRestoreOfSnapshot: without --bump-revision everything ends and nothing is
// granted until an operator has accepted it, whether the daemon ran meanwhile or not.
func TestRestoreOfSnapshot(t *testing.T) {
	t.Parallel()
	etcdutl := buildEtcdutl(t)
	for name, running := range moments() {
		t.Run(name, func(t *testing.T) {
			r := liveOn(t, running)
			if !running {
				r.process.stop()
			}
			r.server.RestoreSnapshot(t, etcdutl, r.snapshot)
			if running {
				r.kept.lost(ipc.ReasonRegressed)
				r.later.lost(ipc.ReasonRegressed)
				if last, _, err := r.waiter.reply(); err != nil || last.Code != ipc.CodeRegressed {
					t.Errorf("the waiter is told %s, %v", last.Append(nil), err)
				}
			} else {
				r.process = r.host.startDaemon(t)
			}
			store := r.host.awaitRegressed(t)
			if store.Int("remembered") < r.latest.fence || store.Int("revision") >= r.latest.fence {
				t.Errorf("STATUS says %v after fence %d", store, r.latest.fence)
			}
			refusesAll(t, r.host.dial(t))
			r.host.dial(t).refused("ACCEPT-RESTORE", ipc.CodeRegressed)
			r.host.accept(t, "ACCEPT-RESTORE raise")
			r.takesAll(t)
		})
	}
}

// TestRestoreOfSnapshotWithBump: with --bump-revision and --mark-compacted nothing
// needs doing. Who held a lock when the snapshot was taken holds it still, who took
// one since is told of the loss, and what was released is not held by anybody.
func TestRestoreOfSnapshotWithBump(t *testing.T) {
	t.Parallel()
	etcdutl := buildEtcdutl(t)
	for name, running := range moments() {
		t.Run(name, func(t *testing.T) {
			r := liveOn(t, running)
			if !running {
				r.process.stop()
			}
			r.server.RestoreSnapshot(t, etcdutl, r.snapshot, "--bump-revision=1000000", "--mark-compacted")
			if running {
				r.later.lost(ipc.ReasonEntryDeleted)
				r.kept.check("kept", r.keptAs)
				r.waiter.stillOpen(50 * time.Millisecond)
				r.kept.unlock("kept")
				if g := r.waiter.granted(); g.fence <= r.keptAs.fence {
					t.Errorf("fence %d after %d", g.fence, r.keptAs.fence)
				}
				r.waiter.unlock("kept")
			} else {
				r.process = r.host.startDaemon(t)
			}
			r.takesAll(t)
			if last, _ := r.host.dial(t).ask("ACCEPT-RESTORE"); last.Fields.Get("accepted") != "0" {
				t.Errorf("there was something to accept: %s", last.Append(nil))
			}
		})
	}
}

// TestRestoreOnceMoreWithBump: a host that has noticed the first restore does not
// forget it because of the second, but accepts that as it is. The leases that the
// host has given back come with it once more, and end by themselves.
func TestRestoreOnceMoreWithBump(t *testing.T) {
	t.Parallel()
	etcdutl := buildEtcdutl(t)
	r := liveOn(t, false)
	r.server.RestoreSnapshot(t, etcdutl, r.snapshot)
	r.host.awaitRegressed(t)
	r.server.RestoreSnapshot(t, etcdutl, r.snapshot, "--bump-revision=1000000", "--mark-compacted")
	looker := r.host.dial(t)
	eventually(t, patience, "second restore", func() bool { return looker.store().Int("revision") > 1_000_000 })
	refusesAll(t, looker)
	looker.hangUp()
	r.host.accept(t, "ACCEPT-RESTORE")
	r.takesAll(t)
}

// takesAll holds that every name can be had again, above all earlier fences, and
// that nothing is left in the end.
func (r *restored) takesAll(t *testing.T) {
	t.Helper()
	for _, name := range []string{"kept", "released", "later", "passing"} {
		c, g := r.host.lock(t, name)
		if g.fence <= r.latest.fence {
			t.Errorf("%s: fence %d after %d", name, g.fence, r.latest.fence)
		}
		if health := c.health(); health != "ok" {
			t.Errorf("STATUS says health=%s", health)
		}
		c.unlock(name)
		c.hangUp()
	}
	nothingLeft(t, r.server.Client(t), atOnce)
}

func buildEtcdutl(t *testing.T) (program string) {
	t.Helper()
	return build(t, "go.etcd.io/etcd/etcdutl/v3", "-modfile=packaging/tools/go.mod")
}
