package faults_test

import (
	"fmt"
	"testing"
	"time"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestStopOfMany: a daemon that is told to stop while a thousand clients hold locks has
// ended soon, with each of them told, and nothing is left in etcd when it has.
func TestStopOfMany(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h := newHost(t, "a", server.Endpoint)
	h.config.TTL = longTTL
	p := h.startDaemon(t)
	all := make([]*client, 1000)
	for i := range all {
		all[i] = h.dial(t)
		all[i].send(fmt.Sprintf("LOCK name-%d", i))
	}
	for _, c := range all {
		c.granted()
	}
	began := now()
	p.stop()
	took := now() - began
	t.Logf("the daemon took %v to end", took)
	if took > 5*time.Second {
		t.Errorf("that is longer than a stop may take")
	}
	nothingLeft(t, server.Client(t), time.Millisecond)
	for _, c := range all {
		c.lost(ipc.ReasonShutdown)
	}
}
