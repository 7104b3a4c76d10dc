package faults_test

import (
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestPromise06OnlyOurOwn: a release that etcd carries out late deletes nothing
// that somebody else has put there since, and neither do any of the daemon's
// other ways to clean up.
func TestPromise06OnlyOurOwn(t *testing.T) {
	t.Parallel()
	t.Run("late release", lateRelease)
	t.Run("put anew", putAnew)
	t.Run("others' entries", othersEntries)
}

// lateRelease has the release wait in a frozen follower, which has it carried
// out after the entry was deleted and put anew.
func lateRelease(t *testing.T) {
	cluster := etcdtest.StartCluster(t, 3)
	through := followers(t, cluster)[0]
	etcd := cluster.Leader(t).Client(t)
	h := newHost(t, "a", through.Endpoint)
	h.config.TTL = longTTL
	h.run(t, nil)
	for _, hangs := range []time.Duration{time.Second, 5 * time.Second} { // the second is given up by the daemon
		holder, g := h.lock(t, "nightly")
		through.Stop(t)
		holder.send("UNLOCK nightly")
		holder.stillOpen(hangs)
		foreign := replace(t, etcd, g.key)
		through.Cont(t)
		if _, _, err := holder.reply(); err != nil {
			t.Error(err)
		}
		h.dial(t).refused("LOCK nightly wait=1s", ipc.CodeTimeout) // whatever was late has been done, and the queue read
		untouched(t, etcd, foreign)
		if _, err := etcd.Delete(soon(t), g.key); err != nil {
			t.Fatal(err)
		}
	}
}

// putAnew has somebody replace a holder's and a waiter's entry under their hands.
func putAnew(t *testing.T) {
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	other := startHost(t, "b", server.Endpoint)
	holder, g := h.lock(t, "nightly")
	waiter := other.wait(t, "nightly")
	theirs := awaitQueue(t, etcd, "nightly", 2)[1]
	foreign := []*mvccpb.KeyValue{replace(t, etcd, string(theirs.Key))}
	waiter.lost(ipc.ReasonEntryDeleted) // and is not granted what the holder loses next
	foreign = append(foreign, replace(t, etcd, g.key))
	holder.lost(ipc.ReasonEntryDeleted)
	for _, on := range []*host{h, other} {
		c := on.dial(t)
		c.refused("LOCK nightly wait=1s", ipc.CodeTimeout) // what is there counts
		c.refused("LOCK nightly wait=0", ipc.CodeBusy)
	}
	for _, kv := range foreign {
		untouched(t, etcd, kv)
	}
}

// replace deletes a key and puts it anew, on no lease.
func replace(t *testing.T, etcd *clientv3.Client, key string) *mvccpb.KeyValue {
	t.Helper()
	if resp, err := etcd.Delete(soon(t), key); err != nil || resp.Deleted != 1 {
		t.Fatalf("delete %s: %+v, %v", key, resp, err)
	}
	resp, err := etcd.Put(soon(t), key, "foreign")
	if err != nil {
		t.Fatal(err)
	}
	return &mvccpb.KeyValue{Key: []byte(key), CreateRevision: resp.Header.Revision, ModRevision: resp.Header.Revision}
}

// untouched holds that a key is there as it was.
func untouched(t *testing.T, etcd *clientv3.Client, want *mvccpb.KeyValue) {
	t.Helper()
	resp, err := etcd.Get(soon(t), string(want.Key))
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.Kvs) == 0 {
		t.Errorf("%s of another is gone", want.Key)
	} else if got := resp.Kvs[0]; got.CreateRevision != want.CreateRevision || got.ModRevision != want.ModRevision {
		t.Errorf("%s of another is now %v", want.Key, got)
	}
}

// othersEntries has mutexes hold and wait, and strangers' keys lie about, while
// our sessions come, wait, try and go, and the daemon stops.
func othersEntries(t *testing.T) {
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := newHost(t, "a", server.Endpoint)
	stop := h.run(t, nil)

	h.lock(t, "warm") // the daemon's own keys are there
	own, err := etcd.Get(soon(t), "lockside/", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	first := newMutex(t, etcd, "nightly")
	first.lock(t)
	newMutex(t, etcd, "nightly").lockLater(t)
	awaitQueue(t, etcd, "nightly", 2)
	for _, key := range []string{"lockside/nightly/stray", "lockside/nightly/", "lockside/stray", "lockside/!stray", "lockside/%zz/1", "locksideX"} {
		if _, err := etcd.Put(soon(t), key, ""); err != nil {
			t.Fatal(err)
		}
	}
	all, err := etcd.Get(soon(t), "lockside", clientv3.WithPrefix(), clientv3.WithMinModRev(own.Header.Revision+1))
	if err != nil {
		t.Fatal(err)
	}
	waiter := h.wait(t, "nightly")
	for range 20 {
		c := h.dial(t)
		c.refused("LOCK nightly wait=0", ipc.CodeBusy)
		c.refused("LOCK nightly wait=50ms", ipc.CodeTimeout)
		c.lock("LOCK other")
		c.hangUp()
	}
	waiter.hangUp()
	c := h.wait(t, "nightly")
	stop()
	c.lost(ipc.ReasonShutdown)
	for _, kv := range all.Kvs {
		untouched(t, etcd, kv)
	}
}
