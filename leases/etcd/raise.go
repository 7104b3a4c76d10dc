package etcd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// raisers is how many writes Raise has under way at once: etcd syncs those that
// come together as one, and each of them makes a revision.
const raisers = 64

// Raise writes a key over and over until the revision is at least to or the
// context ends, deletes it, and tells how far the cluster has come. The error is
// that of a write which would fail again.
func (c *Client) Raise(ctx context.Context, key string, to int64) (Memory, error) {
	writing, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	for range min(raisers, to-c.memory.floor()) {
		wait.Go(func() {
			for c.memory.floor() < to && writing.Err() == nil {
				if err := c.write(writing, key); err != nil {
					cancel(err)
				}
			}
		})
	}
	wait.Wait()
	if failed := context.Cause(writing); failed != nil && ctx.Err() == nil {
		return c.here(), fmt.Errorf("raise revision: %w", failed)
	}
	cleaning, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer done()
	_, _ = c.Txn(cleaning, &pb.TxnRequest{Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestDeleteRange{
		RequestDeleteRange: &pb.DeleteRangeRequest{Key: []byte(key)},
	}}}}) // a key that stays does no harm
	return c.here(), nil
}

// write puts the key once. An error that may pass costs a pause.
func (c *Client) write(ctx context.Context, key string) error {
	_, err := c.Txn(ctx, &pb.TxnRequest{Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestPut{
		RequestPut: &pb.PutRequest{Key: []byte(key)},
	}}}})
	if err == nil || lasting(err) {
		return err
	}
	select {
	case <-time.After(lastPause):
	case <-ctx.Done():
	}
	return nil
}

// lasting reports whether a write that failed will fail again.
func lasting(err error) bool {
	for _, sentinel := range []error{ErrRegressed, ErrDenied, ErrNoSpace, ErrServerTooOld, ErrClosed} {
		if errors.Is(err, sentinel) {
			return true
		}
	}
	return false
}
