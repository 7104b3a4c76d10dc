package faults_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestOutOfSpace: an etcd that is over its quota takes no entry any more. Locks
// are kept for longer than the TTL, are given up, and are handed to who waited
// for them already. Once an operator has made room all is as before.
func TestOutOfSpace(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, etcdtest.WithQuota(4<<20))
	etcd := server.Client(t)
	one, two := startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint)
	holder, g := one.lock(t, "nightly")
	waiter := two.wait(t, "nightly")
	keeper, kept := two.lock(t, "kept")
	exhaust(t, etcd)
	for end := now() + ttl + ttl/2; now() < end; time.Sleep(ttl / 10) {
		holder.check("nightly", g)
		keeper.check("kept", kept)
		waiter.stillOpen(time.Millisecond)
	}
	holder.unlock("nightly")
	if next := waiter.granted(); next.fence <= g.fence {
		t.Errorf("fence %d after %d", next.fence, g.fence)
	}
	waiter.hangUp()
	awaitQueue(t, etcd, "nightly", 0)
	two.dial(t).refused("LOCK nightly wait=1s", ipc.CodeUnavailable)
	keeper.hangUp()
	makeRoom(t, etcd, server.Endpoint)
	for _, name := range []string{"nightly", "kept"} {
		c, _ := one.lock(t, name)
		c.unlock(name)
	}
	nothingLeft(t, etcd, patience)
}

// TestOutOfSpaceSaysSo: who asks for a lock is told what is wrong, and so is who
// asks for the status.
func TestOutOfSpaceSaysSo(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, etcdtest.WithQuota(4<<20))
	h := startHost(t, "a", server.Endpoint)
	c := h.dial(t)
	c.ask("LOCK nightly")
	exhaust(t, server.Client(t))
	r, _ := h.dial(t).ask("LOCK other wait=1s")
	if r.Code != ipc.CodeUnavailable || !strings.Contains(string(r.Append(nil)), "space") {
		t.Errorf("without space LOCK is answered %s", r.Append(nil))
	}
	if health := c.health(); health != "refused" {
		t.Errorf("without space STATUS says health=%s", health)
	}
}

// TestOutOfSpaceReleases: that etcd takes no new entry of a host does not keep
// the host from giving up what it has.
func TestOutOfSpaceReleases(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, etcdtest.WithQuota(4<<20))
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	holder, _ := h.lock(t, "nightly")
	quitter, _ := h.lock(t, "other")
	exhaust(t, etcd)
	h.dial(t).refused("LOCK third wait=1s", ipc.CodeUnavailable)
	quitter.hangUp()
	holder.send("UNLOCK nightly")
	if !holder.ends(atOnce) {
		t.Errorf("UNLOCK is not answered within %v", atOnce)
	}
	eventually(t, atOnce, "end of what was given up", func() bool {
		return len(queue(t, etcd, "nightly"))+len(queue(t, etcd, "other")) == 0
	})
}

// exhaust writes until etcd is over its quota and says so.
func exhaust(t testing.TB, etcd *clientv3.Client) {
	t.Helper()
	value := string(make([]byte, 256<<10))
	eventually(t, patience, "alarm of etcd", func() bool {
		_, err := etcd.Put(soon(t), "ballast", value)
		return errors.Is(err, rpctypes.ErrNoSpace)
	})
}

// makeRoom does what etcd's manual says of its alarm.
func makeRoom(t testing.TB, etcd *clientv3.Client, endpoint string) {
	t.Helper()
	resp, err := etcd.Delete(soon(t), "ballast")
	if err == nil {
		_, err = etcd.Compact(soon(t), resp.Header.Revision, clientv3.WithCompactPhysical())
	}
	if err == nil {
		_, err = etcd.Defragment(soon(t), endpoint)
	}
	if err == nil {
		_, err = etcd.AlarmDisarm(soon(t), &clientv3.AlarmMember{})
	}
	if err != nil {
		t.Fatal(err)
	}
}
