package faults_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"lockside/leases/etcdtest"
)

// TestPromise05NothingLeftBehind: a thousand clients that hang up at random
// moments of LOCK leave no entry, well before their leases would have ended.
func TestPromise05NothingLeftBehind(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := newHost(t, "a", server.Endpoint)
	h.config.TTL = longTTL
	h.run(t, nil)
	holder, g := h.lock(t, "name-0")
	var crowd sync.WaitGroup
	for i := range 10 {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		crowd.Go(func() {
			for range 100 {
				if err := h.hitAndRun(random); err != nil {
					t.Error(err)
				}
			}
		})
	}
	crowd.Wait()
	holder.check("name-0", g)
	holder.unlock("name-0")
	nothingLeft(t, etcd, atOnce)
}

// hitAndRun asks for a lock and hangs up before, while or after it is granted.
func (h *host) hitAndRun(random *rand.Rand) error {
	conn, err := net.Dial("unix", h.config.Socket)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(conn, "LOCK name-%d\n", random.IntN(4)); err != nil {
		return err
	}
	if moment := random.IntN(5); moment > 0 {
		time.Sleep(time.Duration(random.IntN(moment)) * time.Millisecond)
	}
	return conn.Close()
}

// TestNothingLeftBehindWithoutEtcd: what ends while etcd is frozen or gone is
// given back as soon as etcd is there, in whatever state it was caught.
func TestNothingLeftBehindWithoutEtcd(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	h := newHost(t, "a", member.Endpoint)
	h.config.TTL = longTTL
	h.run(t, nil)
	for _, away := range []struct {
		name       string
		goes, come func(testing.TB)
	}{
		{"frozen", member.Stop, member.Cont},
		{"killed", member.Kill, member.Restart},
	} {
		t.Run(away.name, func(t *testing.T) {
			holder, g := h.lock(t, "nightly")
			unlocking, _ := h.lock(t, "other")
			waiter := h.wait(t, "nightly")
			awaitQueue(t, member.Client(t), "nightly", 2)
			away.goes(t)
			late := h.waitUnseen(t, "late") // sent, and not answered
			unlocking.send("UNLOCK other")
			for _, c := range []*client{waiter, late, unlocking} {
				c.stillOpen(50 * time.Millisecond)
				c.hangUp()
			}
			time.Sleep(4 * time.Second) // outlasts a call: the outcome becomes unknown
			away.come(t)
			etcd := member.Client(t)
			for name, entries := range map[string]int{"nightly": 1, "late": 0, "other": 0} {
				awaitQueue(t, etcd, name, entries)
			}
			holder.check("nightly", g)
			holder.unlock("nightly")
			nothingLeft(t, etcd, atOnce)
		})
	}
}
