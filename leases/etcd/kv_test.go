package etcd_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

func TestTxnReadAndRangeSeeTheSameStore(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	revision := mustTxn(t, c, put("a", "1", 0), put("b", "2", 0))

	read, err := c.Read(soon(t), then(get("a"), get("b")))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1", "2"} {
		kv := read.Responses[i].GetResponseRange().Kvs[0]
		if string(kv.Value) != want || kv.CreateRevision != revision {
			t.Errorf("read %q created at %d, want %q created at %d", kv.Value, kv.CreateRevision, want, revision)
		}
	}
	resp, err := c.Range(soon(t), &pb.RangeRequest{Key: []byte("a"), RangeEnd: []byte("c")})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Count != 2 || resp.Header.Revision != revision {
		t.Errorf("range gives %d keys at %d, want 2 at %d", resp.Count, resp.Header.Revision, revision)
	}
}

func TestTxnRefusedHasNoEffect(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	var many []*pb.RequestOp
	for range 129 {
		many = append(many, get("a"))
	}
	for name, test := range map[string]struct {
		ops  []*pb.RequestOp
		want error
	}{
		"lease": {[]*pb.RequestOp{put("a", "1", 0), put("b", "1", 99)}, etcd.ErrLeaseNotFound},
		"ops":   {many, etcd.ErrTooLarge},
		"bytes": {[]*pb.RequestOp{put("a", strings.Repeat("x", 2<<20), 0)}, etcd.ErrTooLarge},
		"frame": {[]*pb.RequestOp{put("a", strings.Repeat("x", 9<<20), 0)}, etcd.ErrTooLarge},
		"twice": {[]*pb.RequestOp{put("a", "1", 0), put("a", "2", 0)}, etcd.ErrRefused},
	} {
		_, err := c.Txn(soon(t), then(test.ops...))
		if !errors.Is(err, test.want) || errors.Is(err, etcd.ErrUnknownOutcome) {
			t.Errorf("%s: txn gives %v, want %v", name, err, test.want)
		}
	}
	resp, err := c.Range(soon(t), &pb.RangeRequest{Key: []byte("a")})
	if err != nil || resp.Count != 0 {
		t.Errorf("range gives %d keys and %v, want none", resp.GetCount(), err)
	}
}

func TestEtcdAwayAtStart(t *testing.T) {
	s := etcdtest.Start(t)
	s.Stop()
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	if _, err := c.Txn(soon(t), then(put("a", "1", 0))); !errors.Is(err, etcd.ErrNotSent) {
		t.Errorf("txn gives %v, want %v", err, etcd.ErrNotSent)
	}
	begin := time.Now()
	_, err := c.Read(within(t, 100*time.Millisecond), then(get("a")))
	if !errors.Is(err, etcd.ErrUnavailable) || !strings.Contains(err.Error(), "connect") {
		t.Errorf("read gives %v, want %v and why", err, etcd.ErrUnavailable)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("read took %v", took)
	}
	done := make(chan error, 1)
	go func() {
		_, err := c.Read(soon(t), then(get("a")))
		done <- err
	}()
	s.Restart(t)
	if err := <-done; err != nil {
		t.Errorf("a read that waited for etcd: %v", err)
	}
}

func TestNoSpace(t *testing.T) {
	s := etcdtest.Start(t, etcdtest.WithQuota(2<<20))
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	mustGrant(t, c, 7, time.Minute)
	var err error
	for i := 0; err == nil; i++ {
		_, err = c.Txn(soon(t), then(put("a", strings.Repeat("x", 1<<20), 0)))
		if i > 10 {
			t.Fatal("the quota never showed")
		}
	}
	if !errors.Is(err, etcd.ErrNoSpace) || !errors.Is(err, etcd.ErrUnknownOutcome) {
		t.Errorf("txn gives %v, want %v and %v", err, etcd.ErrNoSpace, etcd.ErrUnknownOutcome)
	}
	if _, _, err := c.Grant(soon(t), 8, time.Minute); !errors.Is(err, etcd.ErrNoSpace) {
		t.Errorf("grant gives %v, want %v", err, etcd.ErrNoSpace)
	}
	r := c.NewRenewal(7, time.Minute, nil)
	defer r.Close()
	if _, _, err := r.Renew(soon(t), 0); err != nil {
		t.Errorf("renew: %v", err)
	}
	mustTxn(t, c, remove("a"))
	if err := c.Revoke(soon(t), 7); err != nil {
		t.Errorf("revoke: %v", err)
	}
}

func TestCallerGivesUp(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	mustTxn(t, c, put("a", "1", 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Range(ctx, &pb.RangeRequest{Key: []byte("a")}); !errors.Is(err, context.Canceled) {
		t.Errorf("range gives %v, want %v", err, context.Canceled)
	}
	if _, err := c.Txn(ctx, then(put("a", "2", 0))); !errors.Is(err, context.Canceled) || !errors.Is(err, etcd.ErrNotSent) {
		t.Errorf("txn gives %v, want %v and %v", err, context.Canceled, etcd.ErrNotSent)
	}
	if !healthy(c, 1)() {
		t.Error("the endpoint was blamed")
	}
}
