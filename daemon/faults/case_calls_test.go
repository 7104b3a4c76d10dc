package faults_test

import (
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"lockside/daemon"
	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// renewals count the renewals of each lease that a daemon asks for.
type renewals struct {
	t testing.TB

	mu    sync.Mutex // guards lease
	lease map[int64]int
}

func (r *renewals) request(method string, message []byte) {
	if method != pb.Lease_LeaseKeepAlive_FullMethodName {
		return
	}
	id := decode[pb.LeaseKeepAliveRequest](r.t, message).ID
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lease == nil {
		r.lease = map[int64]int{}
	}
	r.lease[id]++
}

// of is how many there were of a lease, and of all.
func (r *renewals) of(lease int64) (one, all int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.lease {
		all += n
	}
	return r.lease[lease], all
}

// TestCase_etcd18069_RenewalsForManyLocks: a host renews for its locks together: three
// times in a TTL, however many they are.
func TestCase_etcd18069_RenewalsForManyLocks(t *testing.T) {
	t.Parallel()
	counted := &renewals{t: t}
	h := startHost(t, "a", (&gateway{request: counted.request}).start(t, etcdtest.Start(t).Endpoint))
	var last grant
	for i := range 200 {
		_, last = h.lock(t, fmt.Sprintf("name-%d", i))
	}
	_, before := counted.of(last.lease)
	began := now()
	eventually(t, patience, "renewals", func() bool {
		one, _ := counted.of(last.lease)
		return one >= before+3
	})
	_, after := counted.of(last.lease)
	if most := 4 + int(3*(now()-began)/ttl); after-before > most {
		t.Errorf("%d renewals in %v, want at most %d", after-before, now()-began, most)
	}
}

// TestCase_etcd9911_NoRenewalOfTheDead: a lease that is gone is not renewed on and on.
func TestCase_etcd9911_NoRenewalOfTheDead(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	counted := &renewals{t: t}
	h := startHost(t, "a", (&gateway{request: counted.request}).start(t, server.Endpoint))
	c, g := h.lock(t, "nightly")
	eventually(t, patience, "renewal", func() bool { one, _ := counted.of(g.lease); return one > 0 })
	before, _ := counted.of(g.lease)
	revoke(t, etcd, g.lease)
	c.lost(revoked()...)
	_, next := h.lock(t, "nightly")
	eventually(t, patience, "renewals of the next lease", func() bool { one, _ := counted.of(next.lease); return one >= 3 })
	if after, _ := counted.of(g.lease); after > before+2 {
		t.Errorf("%d renewals after the revocation", after-before)
	}
}

// TestCase_etcd18667_NoReadOfThePast: no Txn that the daemon sends reads at a revision
// of its own choice, for members would disagree on what it does.
func TestCase_etcd18667_NoReadOfThePast(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	var mu sync.Mutex
	txns := 0
	g := &gateway{request: func(method string, message []byte) {
		if method != pb.KV_Txn_FullMethodName {
			return
		}
		mu.Lock()
		txns++
		mu.Unlock()
		txn := decode[pb.TxnRequest](t, message)
		for _, op := range append(txn.Success, txn.Failure...) {
			if r := op.GetRequestRange(); r.GetRevision() != 0 || r.GetSerializable() {
				t.Errorf("a Txn reads by %v", r)
			}
			if op.GetRequestTxn() != nil {
				t.Errorf("a Txn holds a Txn: %v", txn)
			}
		}
	}}
	one, two := startHost(t, "a", g.start(t, server.Endpoint)), startHost(t, "b", server.Endpoint)
	for i := range 5 {
		name := fmt.Sprintf("name-%d", i%2)
		holder, _ := one.lock(t, name+" other")
		waiter, behind := two.wait(t, name), one.wait(t, name)
		behind.hangUp()
		one.dial(t).refused("LOCK wait=0 "+name, ipc.CodeBusy)
		holder.unlock(name + " other")
		waiter.granted()
		third := one.wait(t, name)
		waiter.hangUp()
		third.granted()
		third.hangUp()
	}
	mu.Lock()
	defer mu.Unlock()
	if txns < 10 {
		t.Errorf("only %d Txns were seen", txns)
	}
}

// TestCase_terraform14312_WatchesAlone: what etcd tells of watches is lost, while
// renewals and all else go through. Whoever waits has its turn all the same, and who
// was robbed is told.
func TestCase_terraform14312_WatchesAlone(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	var watches gate
	t.Cleanup(watches.open)
	g := &gateway{answer: func(method string, message []byte) []byte {
		if method == pb.Watch_Watch_FullMethodName {
			watches.pass()
		}
		return message
	}}
	blind, well := startLasting(t, "blind", g.start(t, server.Endpoint)), startLasting(t, "well", server.Endpoint)
	t.Cleanup(watches.open) // before the daemons stop
	holder, held := well.lock(t, "nightly")
	waiter := blind.wait(t, "nightly")
	robbed, lost := blind.lock(t, "robbed")
	watches.close()
	holder.unlock("nightly")
	if _, err := etcd.Delete(soon(t), lost.key); err != nil {
		t.Fatal(err)
	}
	began := now()
	if next := waiter.granted(); next.fence <= held.fence {
		t.Errorf("fence %d after %d", next.fence, held.fence)
	}
	t.Logf("granted %v after the release", now()-began)
	if r, _ := robbed.try("CHECK robbed verify"); r.Kind == ipc.KindOK {
		t.Errorf("CHECK verify of what is gone is answered %s", r.Append(nil))
	} else if r.Event != ipc.EventLost {
		robbed.lost(ipc.ReasonEntryDeleted)
	}
}

// TestCase_etcd13766_VersionsThatLoseLocks: members of versions known to lose leases or
// to disagree with each other are refused, and those that should be upgraded are told of.
func TestCase_etcd13766_VersionsThatLoseLocks(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	for version, served := range map[string]bool{"3.4.23": false, "3.5.1": false, "3.5.12": false, "3.5.20": true, "3.6.8": true, "3.7.3": true} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			claims(t, server.Endpoint, version, served)
		})
	}
}

// claims has a member claim to be of a version, and a daemon make of it what it should.
func claims(t *testing.T, endpoint, version string, served bool) {
	g := &gateway{answer: func(method string, message []byte) []byte {
		if method != pb.Maintenance_Status_FullMethodName {
			return message
		}
		s := decode[pb.StatusResponse](t, message)
		s.Version = version
		return encode(t, s)
	}}
	h := newHost(t, version, g.start(t, endpoint))
	var log journal
	h.run(t, func(o *daemon.Options) {
		o.Logger = slog.New(slog.NewTextHandler(io.MultiWriter(&log, t.Output()), nil))
	})
	c := h.dial(t)
	if served {
		c.lock("LOCK nightly-" + version)
	} else {
		c.refused("LOCK nightly wait=500ms", ipc.CodeUnavailable)
	}
	words := map[bool]string{true: "etcd should be upgraded", false: "etcd endpoint refused"}[served]
	if told := log.has(words); told != (version != "3.7.3") {
		t.Errorf("that the log says %q is %v", words, told)
	}
}

// TestCase_etcd20273_TakeoverWhileEtcdRestarts: a host dies while etcd restarts and
// its leader moves, each of which gives its lease the whole TTL anew. The next host has
// the lock within the bound all the same, and every member has forgotten the lease.
func TestCase_etcd20273_TakeoverWhileEtcdRestarts(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	dead, other := newHost(t, "dead", cluster.Endpoints()...), startLasting(t, "b", cluster.Endpoints()...)
	process := dead.startDaemon(t)
	_, held := dead.lock(t, "nightly")
	waiter := other.wait(t, "nightly")
	process.kill()
	time.Sleep(ttl / 2)
	leader := cluster.Leader(t)
	leader.Kill(t)
	moved := now()
	leader.Restart(t)
	next := waiter.granted()
	took := now() - moved
	t.Logf("granted %v after the leader was killed", took)
	if next.fence <= held.fence {
		t.Errorf("fence %d after %d", next.fence, held.fence)
	}
	// An election takes up to two seconds, the lease is one more than its TTL then,
	// etcd looks every half second, and a revocation that fails is tried again after 7 s.
	if bound := ttl + 11*time.Second; took > bound {
		t.Errorf("granted after %v, want at most %v", took, bound)
	}
	for _, m := range cluster.Members {
		eventually(t, patience, "end of the dead lease", func() bool {
			for _, l := range allLeases(t, m.Client(t)) {
				if int64(l.ID) == held.lease {
					return false
				}
			}
			return true
		})
	}
}
