package faults_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sys/unix"

	"lockside/daemon"
	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestCase_sanlock1_RestartKnowsNoGhosts: a daemon that was killed comes back without
// its clients, who know it, and shows neither them nor what they had.
func TestCase_sanlock1_RestartKnowsNoGhosts(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h := newHost(t, "a", server.Endpoint)
	h.config.TTL = longTTL
	process := h.startDaemon(t)
	holder, _ := h.lock(t, "nightly")
	waiter := h.wait(t, "nightly")
	process.kill()
	holder.lost("")
	waiter.lost("")
	h.startDaemon(t)
	c := h.dial(t)
	c.lock("LOCK other") // whatever the start gives back is given back before this
	for request, want := range map[string]int{"WHO nightly": 0, "LIST scope=host": 1, "LIST scope=cluster": 1} {
		if _, lines := c.ask(request); len(lines) != want {
			t.Errorf("%s shows %v", request, lines)
		}
	}
}

// TestCase_cloudpods21353_HostComesBack: hosts that die with locks, of a TTL that nobody
// waits for, have them again as soon as they are back, without help.
func TestCase_cloudpods21353_HostComesBack(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	var hosts []*host
	var processes []*process
	held := map[string]grant{}
	for _, name := range []string{"a", "b"} {
		h := newHost(t, name, server.Endpoint)
		h.config.TTL = longTTL
		hosts, processes = append(hosts, h), append(processes, h.startDaemon(t))
		_, held[name] = h.lock(t, "disk-"+name)
	}
	for _, p := range processes {
		p.kill()
	}
	for _, h := range hosts {
		if err := os.Remove(h.config.Socket); err != nil { // as a reboot does with what is below /run
			t.Fatal(err)
		}
		h.startDaemon(t)
		began := now()
		name := h.config.Host
		if c, g := h.lock(t, "disk-"+name+" wait=20s"); g.fence <= held[name].fence {
			t.Errorf("fence %d after %d", g.fence, held[name].fence)
		} else if took := now() - began; took > atOnce {
			t.Errorf("%s has its lock again after %v", name, took)
		} else {
			c.check("disk-"+name, g)
		}
	}
}

// TestCase_sanlock5f36722_StopWithHolders: a daemon that is stopped tells its clients,
// releases, and ends, in this order and in bounded time. The next host has the lock.
func TestCase_sanlock5f36722_StopWithHolders(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h, other := newHost(t, "a", server.Endpoint), startLasting(t, "b", server.Endpoint)
	h.config.TTL = longTTL
	process := h.startDaemon(t)
	s := newSuccession(t, "nightly", newRecord(t), h, other)
	began := now()
	process.signal(unix.SIGTERM)
	ended, granted := s.passes(ipc.ReasonShutdown)
	process.wait()
	if took := now() - began; took > 2*atOnce {
		t.Errorf("stopping took %v", took)
	}
	t.Logf("end-of-file after %v, granted after %v", ended-began, granted-began)
	s.finish()
	nothingLeft(t, server.Client(t), atOnce)
}

// TestCase_sanlockfe87187_ServesOnceReady: a client that connects in the moment in which
// the daemon says that it is ready is served.
func TestCase_sanlockfe87187_ServesOnceReady(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	for i := range 15 {
		h := newHost(t, fmt.Sprintf("host-%d", i), server.Endpoint)
		var c *client
		stop := h.run(t, func(o *daemon.Options) {
			tell := o.Ready
			o.Ready = func() {
				c = h.dial(t)
				c.send("LOCK nightly")
				tell()
			}
		})
		c.granted()
		stop()
	}
}

// TestCase_kubernetes86812_LeaseOfTheDeadRestored: a restore brings back the lock of a
// host that is long gone. It is shown, it ends with its lease, and then others have it.
func TestCase_kubernetes86812_LeaseOfTheDeadRestored(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	dead := newHost(t, "dead", server.Endpoint)
	process := dead.startDaemon(t)
	_, held := dead.lock(t, "nightly")
	server.Stop()
	backup := server.Backup(t)
	process.kill()
	server.Restore(t, backup)
	began := now()
	other := startLasting(t, "b", server.Endpoint)
	c := other.dial(t)
	_, entries := c.ask("WHO nightly")
	if len(entries) != 1 || entries[0].Fields.Get("host") != "dead" || entries[0].Fields.Int("fence") != held.fence {
		t.Errorf("WHO shows %v, want the entry of the dead host", entries)
	}
	c.refused("LOCK nightly wait=0", ipc.CodeBusy)
	if next := c.lock("LOCK nightly"); next.fence <= held.fence {
		t.Errorf("fence %d after %d", next.fence, held.fence)
	}
	if took := now() - began; took > ttl+atOnce {
		t.Errorf("free %v after the restore", took)
	}
}

// TestCase_mecatl1333_AllAsleep: the host and etcd sleep for longer than the TTL, as a
// laptop does with all that is on it. On waking nothing is said to be held that was not
// renewed in time, and taking it again needs no help.
func TestCase_mecatl1333_AllAsleep(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	h := newHost(t, "a", member.Endpoint)
	process := h.startDaemon(t)
	holder, g := h.lock(t, "nightly")
	process.freeze()
	member.Stop(t)
	holder.send("CHECK nightly")
	holder.stillOpen(ttl + 500*time.Millisecond)
	member.Cont(t)
	process.signal(unix.SIGCONT)
	holder.lost(ipc.ReasonDeadline, ipc.ReasonLeaseExpired, ipc.ReasonLeaseRevoked)
	if next := h.dial(t).lock("LOCK nightly"); next.fence <= g.fence || next.lease == g.lease {
		t.Errorf("after %+v came %+v", g, next)
	}
}

// TestCase_leapmux403_LapsedInSuspend: a host was suspended beyond the TTL. The clock that
// went on meanwhile is the one that counts, before the next request is answered.
func TestCase_leapmux403_LapsedInSuspend(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	clock := &jumpingClock{deaf: true}
	h := newHost(t, "suspended", server.Endpoint)
	h.run(t, func(o *daemon.Options) { o.Clock = clock })
	holder, _ := h.lock(t, "nightly")
	clock.jump(ttl + 5*time.Second)
	if r, err := holder.try("CHECK nightly"); err == nil {
		t.Errorf("CHECK is answered %s", r.Append(nil))
	}
	again, g := h.lock(t, "nightly")
	clock.jump((ttl - margin) / 4) // a nap is no loss
	again.check("nightly", g)
}

// TestCase_etcd17470_ClientKilled: a lock that is held by a process is free when that is
// killed, for other hosts too, and long before its lease would end.
func TestCase_etcd17470_ClientKilled(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h, other := startLasting(t, "a", server.Endpoint), startLasting(t, "b", server.Endpoint)
	victim := start(t, clientVariable+"="+h.config.Socket)
	if _, err := victim.stdin.Write([]byte("LOCK nightly\n")); err != nil {
		t.Fatal(err)
	}
	if line := victim.line(); !strings.HasPrefix(line, "OK fence=") {
		t.Fatalf("the client is told %q", line)
	}
	held := awaitQueue(t, server.Client(t), "nightly", 1)[0].CreateRevision
	waiter := other.wait(t, "nightly")
	began := now()
	victim.kill()
	if next := waiter.granted(); next.fence <= held {
		t.Errorf("fence %d after %d", next.fence, held)
	}
	if took := now() - began; took > atOnce {
		t.Errorf("granted %v after the kill", took)
	}
}

// TestCase_dotnetetcd321_HeldForLongerThanItsTTL: a lock that was taken with no lease
// named does not end with the first TTL, nor with the next.
func TestCase_dotnetetcd321_HeldForLongerThanItsTTL(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	holder, g := h.lock(t, "nightly")
	rival := newMutex(t, etcd, "nightly")
	locked := rival.lockLater(t)
	awaitQueue(t, etcd, "nightly", 2)
	holder.stillOpen(2*ttl + time.Second)
	select {
	case err := <-locked:
		t.Errorf("the rival has it beside us: %v", err)
	default:
	}
	holder.check("nightly", g)
	holder.unlock("nightly")
	if err := await(t, "the rival's lock", locked); err != nil {
		t.Error(err)
	}
}

// TestCase_vault3031_LeaseIsReplaced: once its lease is gone a host takes the next lock
// on another one, and each of its keys hangs on a lease from its first write on.
func TestCase_vault3031_LeaseIsReplaced(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	events := etcd.Watch(t.Context(), "lockside/", clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	await(t, "watch", events)
	for range 3 {
		holder, g := h.lock(t, "nightly")
		h.wait(t, "nightly").hangUp()
		revoke(t, etcd, g.lease)
		holder.lost(revoked()...)
		c, next := h.lock(t, "nightly wait=5s")
		if next.lease == g.lease {
			t.Errorf("the next lock hangs on lease %x, which is gone", next.lease)
		}
		c.unlock("nightly")
	}
	last, err := etcd.Put(soon(t), "lockside/!last", "")
	if err != nil {
		t.Fatal(err)
	}
	for puts := 0; ; {
		for _, ev := range await(t, "events", events).Events {
			switch {
			case ev.Kv.ModRevision == last.Header.Revision:
				if puts < 6 {
					t.Errorf("only %d writes were seen", puts)
				}
				return
			case ev.Type == clientv3.EventTypePut && ev.Kv.Lease == 0:
				t.Errorf("%s hangs on no lease", ev.Kv.Key)
			case ev.Type == clientv3.EventTypePut:
				puts++
			}
		}
	}
}

// TestCase_etcd14857_TTLAsGranted: etcd has a least TTL. The client is told what it got,
// and that is what the deadline goes by.
func TestCase_etcd14857_TTLAsGranted(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h := startHost(t, "a", server.Endpoint)
	c := h.dial(t)
	r, _ := c.ask("LOCK nightly ttl=1")
	if r.Kind != ipc.KindOK {
		t.Fatalf("LOCK is answered %s", r.Append(nil))
	}
	lease, err := server.Client(t).TimeToLive(soon(t), clientv3.LeaseID(r.Fields.Hex("lease")))
	if err != nil {
		t.Fatal(err)
	}
	if told := r.Fields.Duration("ttl"); told <= time.Second || told != time.Duration(lease.GrantedTTL)*time.Second {
		t.Errorf("the client is told ttl=%v, and etcd has granted %d s", told, lease.GrantedTTL)
	}
}

// TestCase_redsync144_WhyNotHeld: that another holds a name, that this session holds it
// and that it never did are different words, and each comes with a hint.
func TestCase_redsync144_WhyNotHeld(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	one, two := startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint)
	holder, g := one.lock(t, "nightly")
	other := two.dial(t)
	for _, wrong := range []struct {
		c       *client
		request string
		code    ipc.Code
	}{
		{other, "LOCK nightly wait=0", ipc.CodeBusy},
		{other, "LOCK nightly wait=300ms", ipc.CodeTimeout},
		{other, "UNLOCK nightly", ipc.CodeNotHeld},
		{other, "CHECK nightly", ipc.CodeNotHeld},
		{holder, "LOCK nightly", ipc.CodeHeld},
		{holder, fmt.Sprintf("UNLOCK nightly fence=%d", g.fence-1), ipc.CodeNotHeld},
		{holder, "LOCK daily", ipc.CodeOrder},
		{holder, "RELEASE nightly", ipc.CodeBadRequest},
	} {
		if r, _ := wrong.c.ask(wrong.request); r.Code != wrong.code || len(r.Text) < 10 {
			t.Errorf("%s is answered %s, want %s and a hint", wrong.request, r.Append(nil), wrong.code)
		}
	}
	revoke(t, server.Client(t), g.lease)
	holder.lost(revoked()...) // and expired is neither of them
}

// TestCase_GHSAxg4h6gfch4m8_RightsToThePrefix: a user who may touch the prefix and nothing
// else can do all that the daemon does.
func TestCase_GHSAxg4h6gfch4m8_RightsToThePrefix(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 1)
	root := enableLogin(t, cluster)
	var hosts []*host
	for _, name := range []string{"a", "b"} {
		h := newHost(t, name, cluster.Endpoints()...)
		h.config.TTL, h.config.User, h.config.Password = longTTL, "lock", "lock"
		h.run(t, nil)
		hosts = append(hosts, h)
	}
	holder, held := hosts[0].lock(t, "nightly")
	waiter := hosts[1].wait(t, "nightly")
	for request, lines := range map[string]int{"WHO nightly": 2, "LIST scope=cluster": 2, "CHECK nightly verify": 0} {
		if last, before := holder.ask(request); last.Kind != ipc.KindOK || len(before) != lines {
			t.Errorf("%s is answered %s after %v", request, last.Append(nil), before)
		}
	}
	began := now()
	if _, err := root.Delete(soon(t), held.key); err != nil {
		t.Fatal(err)
	}
	holder.toldAtOnce(began, ipc.ReasonEntryDeleted)
	waiter.granted()
	waiter.unlock("nightly")
}

// TestCase_etcd17780_RevisionsGoBack: etcd comes back with less than it had. Who held a
// lock is told, nothing is granted, and after an operator's word fences go on to rise.
func TestCase_etcd17780_RevisionsGoBack(t *testing.T) {
	t.Parallel()
	c := comeBack(t, regressions()[0])
	refusesAll(t, c.host.dial(t))
	c.host.accept(t, "ACCEPT-RESTORE raise")
	c.goesOn(t, c.highest.fence)
}

// TestCase_milvus30926_EtcdWithoutItsData: etcd comes back empty, under the same name. All
// clients are told once, the daemon lives, and goes on when it is told to.
func TestCase_milvus30926_EtcdWithoutItsData(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h := newHost(t, "a", server.Endpoint)
	h.config.TTL = longTTL
	h.startDaemon(t)
	var clients []*client
	var last grant
	for i := range 5 {
		c, g := h.lock(t, fmt.Sprintf("name-%d", i))
		clients, last = append(clients, c), g
	}
	idle := h.dial(t)
	idle.ask("PING")
	server.Replace(t)
	for _, c := range clients {
		c.lost(ipc.ReasonRegressed)
	}
	h.awaitRegressed(t)
	idle.refused("LOCK name-0", ipc.CodeRegressed)
	h.accept(t, "ACCEPT-RESTORE raise")
	if _, g := h.lock(t, "name-0"); g.fence <= last.fence {
		t.Errorf("fence %d after %d", g.fence, last.fence)
	}
}
