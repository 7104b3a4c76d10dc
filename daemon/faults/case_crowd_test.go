package faults_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestCase_curator696_ContendersExpire: forty contend for one name while leases are
// revoked under them at random. Nobody is granted what another was not told to have
// lost, no fence comes twice, and once the revocations end somebody has the name.
func TestCase_curator696_ContendersExpire(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	seed := seed(t)
	ctx, cancel := context.WithTimeout(soon(t), 3*time.Second)
	defer cancel()
	x := &expiry{t: t, etcd: etcd, fences: map[int64]bool{}}
	var crowd sync.WaitGroup
	var hosts []*host
	for i := range 4 {
		h := startHost(t, fmt.Sprintf("host-%d", i), server.Endpoint)
		hosts = append(hosts, h)
		for j := range 10 {
			crowd.Go(func() { x.contend(ctx, h, random(seed, 10*i+j)) })
		}
	}
	crowd.Go(func() { x.revoke(ctx, random(seed, 100)) })
	crowd.Wait()
	if t.Failed() {
		return
	}
	t.Logf("%d grants, of which %d were revoked", len(x.fences), x.lost)
	began := now()
	for _, h := range hosts {
		c, _ := h.lock(t, "nightly")
		c.unlock("nightly")
	}
	if took := now() - began; took > 2*atOnce {
		t.Errorf("after the last revocation it took %v for each host to have the name", took)
	}
	nothingLeft(t, etcd, atOnce)
}

// An expiry is a crowd whose leases are revoked.
type expiry struct {
	t    *testing.T
	etcd *clientv3.Client

	mu     sync.Mutex // guards what follows
	fences map[int64]bool
	lost   int
}

// contend takes the name and gives it up until the context ends.
func (x *expiry) contend(ctx context.Context, h *host, random *rand.Rand) {
	c := h.dial(x.t)
	defer func() { c.hangUp() }()
	for ctx.Err() == nil {
		r, err := c.try("LOCK nightly wait=1s")
		if err == nil && r.Kind == ipc.KindOK {
			x.granted(r.Fields.Int("fence"))
			time.Sleep(time.Duration(random.Int64N(int64(3 * time.Millisecond))))
			_, err = c.try("UNLOCK nightly")
		}
		if errors.Is(err, io.EOF) {
			x.mu.Lock()
			x.lost++
			x.mu.Unlock()
			c.hangUp()
			c = h.dial(x.t)
		} else if err != nil {
			x.t.Error(err)
			return
		}
	}
}

// granted holds that an entry was granted once. A reply may be read later than that
// to a later grant, when a revocation came between.
func (x *expiry) granted(fence int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.fences[fence] {
		x.t.Errorf("fence %d is granted twice", fence)
	}
	x.fences[fence] = true
}

// revoke ends leases, those of the holder and of others, until the context ends.
func (x *expiry) revoke(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		resp, err := x.etcd.Leases(ctx)
		if err == nil && len(resp.Leases) > 0 {
			_, err = x.etcd.Revoke(ctx, resp.Leases[random.IntN(len(resp.Leases))].ID)
		}
		if err != nil && ctx.Err() == nil {
			x.t.Logf("revoke: %v", err) // another may have been quicker
		}
		time.Sleep(time.Duration(random.Int64N(int64(150 * time.Millisecond))))
	}
}

// allLeases are those that etcd has.
func allLeases(t testing.TB, etcd *clientv3.Client) []clientv3.LeaseStatus {
	t.Helper()
	resp, err := etcd.Leases(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	return resp.Leases
}

// TestCase_etcd22094_LeasesAfterTheirUsers: a hundred clients come and go while the
// leader moves. What is left is the host's one lease, and nothing once it stops.
func TestCase_etcd22094_LeasesAfterTheirUsers(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	etcd := cluster.Client(t)
	h := newHost(t, "a", cluster.Endpoints()...)
	h.config.TTL = longTTL
	stop := h.run(t, nil)
	var crowd sync.WaitGroup
	for i := range 10 {
		crowd.Go(func() {
			for j := range 10 {
				c, _ := h.lock(t, fmt.Sprintf("name-%d", (i+j)%7))
				c.hangUp()
			}
		})
	}
	moveLeader(t, cluster)
	crowd.Wait()
	nothingLeft(t, etcd, patience)
	if left := allLeases(t, etcd); len(left) != 1 {
		t.Errorf("leases %v, want one", left)
	}
	stop()
	emptyStore(t, etcd)
}

// TestCase_redisson7272_FastCycles: locks that are taken, released, cancelled and
// abandoned as fast as it goes, in odd orders, leave one lease that is renewed, and
// none once the daemon has stopped.
func TestCase_redisson7272_FastCycles(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := newHost(t, "a", server.Endpoint)
	h.config.TTL = longTTL
	process := h.startDaemon(t)
	seed := seed(t)
	requests := []string{"LOCK x", "UNLOCK x", "CANCEL", "LOCK x wait=0", "CHECK x", "LOCK y wait=5ms", "UNLOCK y", "WHO x", "QUIT", "LOCK x y", "HELLO"}
	var crowd sync.WaitGroup
	for i := range 8 {
		crowd.Go(func() {
			random := random(seed, i)
			for range 60 {
				c := h.dial(t)
				for range 1 + random.IntN(6) {
					_ = c.post(requests[random.IntN(len(requests))]) // after QUIT nobody reads it
				}
				if random.IntN(2) == 0 {
					c.ends(time.Duration(random.Int64N(int64(3 * time.Millisecond))))
				}
				c.hangUp()
			}
		})
	}
	crowd.Wait()
	c, _ := h.lock(t, "x y")
	c.unlock("x y")
	nothingLeft(t, etcd, patience)
	if left := allLeases(t, etcd); len(left) != 1 {
		t.Errorf("leases %v, want one", left)
	}
	process.stop()
	emptyStore(t, etcd)
}

// TestCase_curatorNetflix29_ManyNames: a name that was used leaves nothing: neither
// keys, such as a counter for its fences, nor a lease.
func TestCase_curatorNetflix29_ManyNames(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startLasting(t, "a", server.Endpoint)
	keys := func() int64 {
		resp, err := etcd.Get(soon(t), "", clientv3.WithFromKey(), clientv3.WithCountOnly())
		if err != nil {
			t.Fatal(err)
		}
		return resp.Count
	}
	c, _ := h.lock(t, "first")
	c.unlock("first")
	before, granted := keys(), len(allLeases(t, etcd))
	var last int64
	for i := range 500 {
		name := fmt.Sprintf("once/%d", i)
		g := c.lock("LOCK " + name)
		if g.fence <= last {
			t.Fatalf("fence %d after %d", g.fence, last)
		}
		last = g.fence
		c.unlock(name)
	}
	if after := keys(); after != before {
		t.Errorf("%d keys after %d", after, before)
	}
	if after := len(allLeases(t, etcd)); after != granted {
		t.Errorf("%d leases after %d", after, granted)
	}
}

// TestCase_redisson4822_EachHostAfterFailovers: after each move of the leader every
// host can lock, not only the one that was first.
func TestCase_redisson4822_EachHostAfterFailovers(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	var hosts []*host
	for i := range 3 {
		hosts = append(hosts, startLasting(t, fmt.Sprintf("host-%d", i), cluster.Endpoints()[i], cluster.Endpoints()[(i+1)%3]))
	}
	told := newRecord(t)
	for range 3 {
		moveLeader(t, cluster)
		for _, h := range hosts {
			c, g := h.lock(t, "nightly")
			told.has(told.client("turn"), h.config.Host, "nightly", g, 0)
			c.unlock("nightly")
			c.hangUp()
		}
	}
}

// TestCase_etcd13675_LeasesJustGranted: a session on a lease that was granted this
// moment, at whichever member, is not taken for one on a lease that is gone.
func TestCase_etcd13675_LeasesJustGranted(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	var crowd sync.WaitGroup
	for i, m := range cluster.Members {
		h := startLasting(t, fmt.Sprintf("host-%d", i), m.Endpoint)
		crowd.Go(func() {
			for ttl := 30; ttl < 42; ttl++ { // each is a lease
				name := fmt.Sprintf("name-%d-%d", i, ttl)
				c, g := h.lock(t, fmt.Sprintf("%s ttl=%d", name, ttl))
				if r, _ := c.ask("CHECK " + name + " verify"); r.Kind != ipc.KindOK || r.Fields.Int("fence") != g.fence {
					t.Errorf("CHECK verify is answered %s", r.Append(nil))
				}
			}
		})
	}
	crowd.Wait()
}

// TestCase_redsyncv4140_WireFormat: what clients and others at etcd read is the same,
// byte for byte, as it was when they were written.
func TestCase_redsyncv4140_WireFormat(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h := startHost(t, "a", server.Endpoint)
	c := h.dial(t)
	for _, exchange := range [][2]string{
		{"LOCK web/3 owner=me", `^OK fence=\d+ cluster=[0-9a-f]+ lease=[0-9a-f]+ ttl=4s until=\d+(\.\d{1,3})?s key=lockside/web%252F3/[0-9a-f]+-\d+$`},
		{"lock web/3", `^ERR held [^\n]+$`},
		{"CHECK web/3", `^OK fence=\d+ left=\d(\.\d{1,3})?s until=\d+(\.\d{1,3})?s$`},
		{"UNLOCK web/3 fence=1", `^ERR not-held [^\n]+$`},
		{"PING", `^OK$`},
		{"FROB", `^ERR bad-request [^\n]+$`},
	} {
		c.send(exchange[0])
		line, err := ipc.ReadLine(c.in)
		if err != nil || !regexp.MustCompile(exchange[1]).Match(line) {
			t.Errorf("%s is answered %q, %v; want %s", exchange[0], line, err, exchange[1])
		}
	}
	entry := awaitQueue(t, server.Client(t), "web/3", 1)[0]
	key := regexp.MustCompile(fmt.Sprintf(`^lockside/web%%2F3/%x-\d+$`, entry.Lease))
	if !key.Match(entry.Key) {
		t.Errorf("the key is %s, want %s", entry.Key, key)
	}
	value := regexp.MustCompile(`^\{"host":"a","pid":\d+,"uid":\d+,.*"owner":"me","since":"[0-9TZ:.-]+".*\}$`)
	if !value.Match(entry.Value) {
		t.Errorf("the value is %s, want %s", entry.Value, value)
	}
	c.send("UNLOCK web/3")
	if line, err := ipc.ReadLine(c.in); err != nil || !regexp.MustCompile(`^OK held=\d+(\.\d{1,3})?s$`).Match(line) {
		t.Errorf("UNLOCK is answered %q, %v", line, err)
	}
}
