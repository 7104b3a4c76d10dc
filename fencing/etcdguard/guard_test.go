package etcdguard_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"

	"lockside/fencing"
	"lockside/fencing/etcdguard"
	"lockside/fencing/fencingtest"
	"lockside/leases/etcdtest"
)

func TestMain(m *testing.M) {
	etcdtest.Member()
	goleak.VerifyTestMain(m)
}

// ops are operations on data, as a write of etcd is.
type ops = []clientv3.Op

const (
	data = "app/data"
	mark = "app/data.fence"
)

// A queue gives a lock as lockside does: each holder's entry is made before that of
// the holder before it is deleted.
type queue struct {
	client *clientv3.Client // for entries
	guard  func(key string) fencing.Guard[ops]
	lease  clientv3.LeaseID

	mu      sync.Mutex // guards what follows
	granted int
	last    string // key of the last entry
}

func (q *queue) grant(ctx context.Context) (fencingtest.Holder[ops], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.granted++
	key := fmt.Sprintf("lockside/data/%x-%d", int64(q.lease), q.granted)
	resp, err := q.client.Put(ctx, key, "{}", clientv3.WithLease(q.lease))
	if err == nil && q.last != "" {
		_, err = q.client.Delete(ctx, q.last)
	}
	q.last = key
	if err != nil {
		return fencingtest.Holder[ops]{}, err
	}
	token := fencing.Token{Cluster: fencing.Cluster(resp.Header.ClusterId), Fence: resp.Header.Revision}
	return fencingtest.Holder[ops]{Guard: q.guard(key), Token: token}, nil
}

// restart kills the member and starts it again.
func restart(t *testing.T, c *etcdtest.Cluster) {
	c.Members[0].Kill(t)
	c.Members[0].Restart(t)
}

// resource is the suite's view of a key in a member of its own, which the guard
// reaches over a wire.
func resource(t *testing.T, make func(kv etcdguard.KV, key string) fencing.Guard[ops]) *fencingtest.Resource[ops] {
	cluster := etcdtest.StartCluster(t, 1)
	plain := cluster.Client(t)
	wire, err := fencingtest.NewWire(strings.TrimPrefix(cluster.Members[0].Endpoint, "unix://"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{wire.Address()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if err := wire.Close(); err != nil {
			t.Error(err)
		}
	})
	lease, err := plain.Grant(t.Context(), 600)
	if err != nil {
		t.Fatal(err)
	}
	q := &queue{client: plain, lease: lease.ID, guard: func(key string) fencing.Guard[ops] { return make(client, key) }}
	return &fencingtest.Resource[ops]{
		Grant: q.grant,
		Set:   func(value string) ops { return ops{clientv3.OpPut(data, value)} },
		Fail: func(value string) ops {
			return ops{clientv3.OpPut(data, value), clientv3.OpPut("app/other", value, clientv3.WithLease(1))}
		},
		Value: func(ctx context.Context) (string, error) {
			resp, err := plain.Get(ctx, data)
			if err != nil || len(resp.Kvs) == 0 {
				return "", err
			}
			return string(resp.Kvs[0].Value), nil
		},
		Restart: func(context.Context) error { restart(t, cluster); return nil },
		LoseReply: func(ctx context.Context, call func(context.Context) error) error {
			before := revision(ctx, plain)
			done := func(ctx context.Context) bool { return revision(ctx, plain) > before }
			return wire.LoseWhen(ctx, data, done, call)
		},
	}
}

// revision is that of the data's last change; 0 where there was none.
func revision(ctx context.Context, client *clientv3.Client) int64 {
	resp, err := client.Get(ctx, data)
	if err != nil || len(resp.Kvs) == 0 {
		return 0
	}
	return resp.Kvs[0].ModRevision
}

func sound(t *testing.T) *fencingtest.Resource[ops] {
	return resource(t, func(kv etcdguard.KV, key string) fencing.Guard[ops] {
		g, err := etcdguard.New(kv, key, mark)
		if err != nil {
			t.Fatal(err)
		}
		return g
	})
}

func TestGuard(t *testing.T) { fencingtest.Test(t, sound) }

// unguarded puts whatever comes, as data in etcd does by itself.
type unguarded struct{ kv etcdguard.KV }

func (u unguarded) Claim(context.Context, fencing.Token) error { return nil }

func (u unguarded) Write(ctx context.Context, _ fencing.Token, w ops) error {
	_, err := u.kv.Txn(ctx).Then(w...).Commit()
	return err
}

func (u unguarded) WriteOnce(ctx context.Context, t fencing.Token, w ops) error {
	return u.Write(ctx, t, w)
}

// TestUnguarded holds that the suite finds what no guard leaves open.
func TestUnguarded(t *testing.T) {
	for _, c := range fencingtest.Cases[ops]() {
		if c.Name != "a late write after a claim is refused" && c.Name != "one write a grant" {
			continue
		}
		r := resource(t, func(kv etcdguard.KV, _ string) fencing.Guard[ops] { return unguarded{kv} })
		if err := c.Run(t.Context(), r); err == nil {
			t.Errorf("without a guard, %s", c.Name)
		}
	}
}

// TestWaitsForTheEntryBefore holds that a holder whose predecessor's entry is still
// to be deleted neither claims nor writes before it is, and that its predecessor
// cannot write from then on.
func TestWaitsForTheEntryBefore(t *testing.T) {
	member := etcdtest.Start(t)
	client := member.Client(t)
	var tokens []fencing.Token
	var guards []*etcdguard.Guard
	for _, key := range []string{"lockside/data/1a-0", "lockside/data/1b-0"} {
		resp, err := client.Put(t.Context(), key, "")
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, fencing.Token{Cluster: fencing.Cluster(resp.Header.ClusterId), Fence: resp.Header.Revision})
		g, err := etcdguard.New(client, key, "")
		if err != nil {
			t.Fatal(err)
		}
		guards = append(guards, g)
	}
	short, cancel := context.WithCancel(t.Context())
	claimed := make(chan error)
	go func() { claimed <- guards[1].Claim(short, tokens[1]) }()
	if err := guards[0].Write(t.Context(), tokens[0], ops{clientv3.OpPut(data, "first")}); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-claimed; !errors.Is(err, context.Canceled) {
		t.Fatalf("a claim beside the holder before: %v", err)
	}
	go func() { claimed <- guards[1].Claim(t.Context(), tokens[1]) }()
	if _, err := client.Delete(t.Context(), "lockside/data/1a-0"); err != nil {
		t.Fatal(err)
	}
	if err := <-claimed; err != nil {
		t.Error(err)
	}
	if err := guards[0].Write(t.Context(), tokens[0], ops{clientv3.OpPut(data, "late")}); !errors.Is(err, fencing.ErrStale) {
		t.Errorf("a late write: %v", err)
	}
}

func TestKeys(t *testing.T) {
	for _, key := range []string{"", "nightly", "/", "lockside/nightly/", "/694d-0"} {
		if _, err := etcdguard.New(nil, key, ""); !errors.Is(err, fencing.ErrToken) {
			t.Errorf("%q: %v", key, err)
		}
	}
	g, err := etcdguard.New(nil, "lockside/nightly/694d-0", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.WriteOnce(t.Context(), fencing.Token{Fence: 1}, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
