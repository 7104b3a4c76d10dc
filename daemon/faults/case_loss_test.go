package faults_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/daemon"
	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// revoked are the reasons of a session whose lease somebody revoked. A daemon that
// does not hear soon whether the lease is still there takes it that the entry alone
// was deleted.
func revoked() []ipc.Reason {
	return []ipc.Reason{ipc.ReasonLeaseRevoked, ipc.ReasonEntryDeleted}
}

func revoke(t testing.TB, etcd *clientv3.Client, lease int64) {
	t.Helper()
	if _, err := etcd.Revoke(soon(t), clientv3.LeaseID(lease)); err != nil {
		t.Fatal(err)
	}
}

// toldAtOnce waits for the loss of a session, which has to be told in time.
func (c *client) toldAtOnce(since time.Duration, reasons ...ipc.Reason) {
	c.t.Helper()
	c.lost(reasons...)
	if took := now() - since; took > atOnce {
		c.t.Errorf("the loss was told after %v", took)
	}
}

// TestCase_etcd19597_WaiterWithDeadLease: a waiter is told that its lease is gone
// although nothing has moved before it in the queue.
func TestCase_etcd19597_WaiterWithDeadLease(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	one, two := startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint)
	holder, g := one.lock(t, "nightly")
	waiter := two.wait(t, "nightly")
	dead := awaitQueue(t, etcd, "nightly", 2)[1].Lease
	began := now()
	revoke(t, etcd, dead)
	waiter.toldAtOnce(began, revoked()...)
	holder.check("nightly", g)
	awaitQueue(t, etcd, "nightly", 1)
}

// TestCase_etcd14758_KeyGoneWhileItsLeaseLives: the one session whose entry somebody
// deleted is told, and the others on the lease notice nothing.
func TestCase_etcd14758_KeyGoneWhileItsLeaseLives(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	robbed, g := h.lock(t, "nightly")
	beside, kept := h.lock(t, "weekly")
	if g.lease != kept.lease {
		t.Fatalf("leases %x and %x are two", g.lease, kept.lease)
	}
	began := now()
	if resp, err := etcd.Delete(soon(t), g.key); err != nil || resp.Deleted != 1 {
		t.Fatalf("delete %s: %+v, %v", g.key, resp, err)
	}
	robbed.toldAtOnce(began, ipc.ReasonEntryDeleted)
	beside.check("weekly", kept)
	if entry := queue(t, etcd, "weekly"); len(entry) != 1 || entry[0].Lease != kept.lease {
		t.Errorf("the other lock's queue is %v", entry)
	}
}

// TestCase_kubernetes23731_OldHolderIsTold: whichever way a holder is robbed, it is
// told, and not only that there is another one now.
func TestCase_kubernetes23731_OldHolderIsTold(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	one, two := startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint)
	for _, wrong := range tamperings() {
		holder, held := one.lock(t, "nightly")
		waiter := two.wait(t, "nightly")
		began := now()
		if err := wrong.do(t, etcd, held.key, held.lease); err != nil {
			t.Fatal(err)
		}
		ended, next, granted, _ := bothEnds(holder, waiter)
		if took := max(ended, granted) - began; took > atOnce {
			t.Errorf("%s: told after %v, and granted after %v", wrong.name, ended-began, granted-began)
		}
		if next.fence <= held.fence {
			t.Errorf("%s: fence %d after %d", wrong.name, next.fence, held.fence)
		}
		waiter.unlock("nightly")
		waiter.hangUp()
	}
}

// TestCase_consul4902_LostAndTakenAgain: who has lost a lock takes it again on a new
// connection, with a greater fence, and nothing has to be started anew for it.
func TestCase_consul4902_LostAndTakenAgain(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	var last grant
	for range 4 {
		c, g := h.lock(t, "nightly wait=10s")
		if g.fence <= last.fence || g.lease == last.lease {
			t.Errorf("after %+v came %+v", last, g)
		}
		revoke(t, etcd, g.lease)
		c.lost(revoked()...)
		last = g
	}
}

// TestCase_curator307_ReleaseAfterLoss: a release that comes too late is told so in
// one word, by hand and in Go.
func TestCase_curator307_ReleaseAfterLoss(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	lock, err := h.ipc(t).Lock(soon(t), "nightly")
	if err != nil {
		t.Fatal(err)
	}
	revoke(t, etcd, lock.Lease())
	await(t, "loss", lock.Context().Done())
	if err := lock.Unlock(soon(t)); !errors.Is(err, ipc.ErrLost) {
		t.Errorf("Unlock after the loss gives %v", err)
	}
	again, g := h.lock(t, "nightly") // the late release has not touched it
	h.dial(t).refused("UNLOCK nightly", ipc.CodeNotHeld)
	again.refused(fmt.Sprintf("UNLOCK nightly fence=%d", lock.Fence()), ipc.CodeNotHeld)
	again.check("nightly", g)
}

// ipc connects a Go client, which the test's end closes.
func (h *host) ipc(t testing.TB) *ipc.Client {
	t.Helper()
	client, err := ipc.Dial(soon(t), h.config.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// TestCase_kyverno14984_ContextEndsWithTheLock: each lock has a context of its own
// that ends with it, whatever the one given to Lock does.
func TestCase_kyverno14984_ContextEndsWithTheLock(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	client := startHost(t, "a", server.Endpoint).ipc(t)
	ctx, cancel := context.WithCancel(soon(t))
	robbed, err := client.Lock(ctx, "nightly")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := client.Lock(ctx, "weekly")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := errors.Join(robbed.Context().Err(), kept.Context().Err()); err != nil {
		t.Errorf("the locks ended with the context of the request: %v", err)
	}
	if _, err := etcd.Delete(soon(t), robbed.Key()); err != nil {
		t.Fatal(err)
	}
	await(t, "loss", robbed.Context().Done())
	lost, ok := errors.AsType[*ipc.LostError](context.Cause(robbed.Context()))
	if !ok || lost.Reason != ipc.ReasonEntryDeleted {
		t.Errorf("the context ended by %v", context.Cause(robbed.Context()))
	}
	if _, err := kept.Verify(soon(t)); err != nil {
		t.Errorf("the other lock: %v", err)
	}
	if err := kept.Context().Err(); err != nil {
		t.Errorf("the other lock's context ended: %v", err)
	}
}

// TestCase_csisanlocklvm49_LossIsTold: a lost lock is end-of-file for the client and
// a line with the reason in the log.
func TestCase_csisanlocklvm49_LossIsTold(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := newHost(t, "a", server.Endpoint)
	var log journal
	h.run(t, func(o *daemon.Options) {
		o.Logger = slog.New(slog.NewTextHandler(io.MultiWriter(&log, t.Output()), nil))
	})
	c, g := h.lock(t, "nightly")
	quiet, _ := h.lock(t, "weekly")
	quiet.unlock("weekly")
	if log.has("Session lost") {
		t.Error("a release is in the log as a loss")
	}
	if _, err := etcd.Delete(soon(t), g.key); err != nil {
		t.Fatal(err)
	}
	c.lost(ipc.ReasonEntryDeleted)
	eventually(t, patience, "line in the log", func() bool {
		return log.has(`level=WARN msg="Session lost"`) && log.has("reason=entry-deleted")
	})
}

// TestCase_curator495_OneDoesNotRead: a client that asks on and on without reading
// holds up neither the loss of the others nor their requests.
func TestCase_curator495_OneDoesNotRead(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	deaf, held := h.lock(t, "deaf")
	if err := deaf.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	var asking sync.WaitGroup
	asking.Go(func() {
		for deaf.post("STATUS") == nil { // until the session's end
		}
	})
	others := map[string]*client{}
	for i := range 8 {
		name := fmt.Sprintf("other-%d", i)
		others[name], _ = h.lock(t, name)
	}
	witness := h.dial(t)
	witness.ask("PING")
	began := now()
	revoke(t, etcd, held.lease)
	for _, c := range others {
		c.toldAtOnce(began, revoked()...)
	}
	witness.ask("PING")
	eventually(t, patience, "end of the one that does not read", deaf.over)
	asking.Wait()
}

// TestCase_etcd20590_RevokedAtRandom: leases are revoked at random moments, also while
// they are being renewed, and no renewal's answer hides it.
func TestCase_etcd20590_RevokedAtRandom(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	random := random(seed(t), 0)
	for range 25 {
		c, g := h.lock(t, "nightly ttl=2") // renewed as often as can be
		c.ends(time.Duration(random.Int64N(int64(100 * time.Millisecond))))
		began := now()
		revoke(t, etcd, g.lease)
		c.toldAtOnce(began, append(revoked(), ipc.ReasonDeadline)...)
	}
}
