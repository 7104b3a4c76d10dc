package etcd_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"lockside/leases/etcd"
)

// generous bounds what should take milliseconds, on a busy machine.
const generous = 30 * time.Second

func newClient(t *testing.T, cfg etcd.Config) *etcd.Client {
	t.Helper()
	cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	c, err := etcd.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// soon is a context for what should not take long.
func soon(t *testing.T) context.Context {
	t.Helper()
	return within(t, generous)
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits for a condition that nothing announces.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx := soon(t)
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// healthy reports whether so many endpoints are healthy.
func healthy(c *etcd.Client, n int) func() bool {
	return func() bool {
		found := 0
		for _, e := range c.Status().Endpoints {
			if e.Healthy {
				found++
			}
		}
		return found == n
	}
}

func put(key, value string, lease int64) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{
		RequestPut: &pb.PutRequest{Key: []byte(key), Value: []byte(value), Lease: lease},
	}}
}

func get(key string) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: &pb.RangeRequest{Key: []byte(key)}}}
}

func remove(key string) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{
		RequestDeleteRange: &pb.DeleteRangeRequest{Key: []byte(key)},
	}}
}

func then(ops ...*pb.RequestOp) *pb.TxnRequest { return &pb.TxnRequest{Success: ops} }

// mustTxn makes a Txn that has to succeed and gives its revision.
func mustTxn(t *testing.T, c *etcd.Client, ops ...*pb.RequestOp) int64 {
	t.Helper()
	resp, err := c.Txn(soon(t), then(ops...))
	if err != nil {
		t.Fatal(err)
	}
	return resp.Header.Revision
}

// mustGrant grants a lease that has to be granted.
func mustGrant(t *testing.T, c *etcd.Client, id int64, ttl time.Duration) {
	t.Helper()
	if _, _, err := c.Grant(soon(t), id, ttl); err != nil {
		t.Fatal(err)
	}
}
