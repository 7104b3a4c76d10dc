package faults_test

import (
	"testing"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// A regression is a way in which etcd's revisions come to go back. What prepare
// does comes before what is to be forgotten, what it returns after it.
type regression struct {
	name    string
	prepare func(t *testing.T, s *etcdtest.Server) (putBack func())
}

func regressions() []regression {
	return []regression{
		{"older copy", func(t *testing.T, s *etcdtest.Server) func() {
			s.Stop()
			backup := s.Backup(t)
			s.Restart(t)
			return func() { s.Restore(t, backup) }
		}},
		{"another cluster", func(t *testing.T, s *etcdtest.Server) func() {
			return func() { s.Replace(t, etcdtest.WithClusterToken("another")) }
		}},
	}
}

// TestPromise08NoGoingBack: once etcd has been put back, or another cluster
// answers, nothing is granted, across restarts too.
func TestPromise08NoGoingBack(t *testing.T) {
	t.Parallel()
	for _, r := range regressions() {
		t.Run("while stopped/"+r.name, func(t *testing.T) {
			server := etcdtest.Start(t)
			h := newHost(t, "a", server.Endpoint)
			putBack := r.prepare(t, server)
			process := h.startDaemon(t)
			c, _ := h.lock(t, "nightly")
			c.unlock("nightly")
			process.stop()
			putBack()
			for range 5 { // writes of its own would soon take etcd past what it remembers
				process := h.startDaemon(t)
				refusesAll(t, h.dial(t))
				process.stop()
			}
			h.startDaemon(t)
			h.accept(t, "ACCEPT-RESTORE raise")
			h.lock(t, "nightly")
		})
		t.Run("while running/"+r.name, func(t *testing.T) {
			server := etcdtest.Start(t)
			h := newHost(t, "a", server.Endpoint)
			h.config.TTL = longTTL // etcd is away for a while
			h.run(t, nil)
			holder, _ := h.lock(t, "nightly")
			waiter := h.wait(t, "nightly")
			awaitQueue(t, server.Client(t), "nightly", 2)
			putBack := r.prepare(t, server) // an older copy has both entries
			for range 3 {
				c, _ := h.lock(t, "other")
				c.unlock("other")
			}
			putBack()
			holder.lost(ipc.ReasonRegressed)
			if r, _, err := waiter.reply(); err != nil || r.Code != ipc.CodeRegressed {
				t.Errorf("the waiter is told %s, %v", r.Append(nil), err)
			}
			refusesAll(t, h.dial(t))
		})
	}
}

// refusesAll holds that a daemon knows of the regression, grants nothing and shows nothing.
func refusesAll(t *testing.T, c *client) {
	t.Helper()
	for _, request := range []string{
		"LOCK nightly", "LOCK other wait=0", "LOCK third wait=5s ttl=9s", "WHO nightly", "LIST scope=cluster",
	} {
		c.refused(request, ipc.CodeRegressed)
	}
	if health := c.health(); health != "regressed" {
		t.Errorf("STATUS says health=%s", health)
	}
}
