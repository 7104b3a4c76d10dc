package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// Survey tells how far the cluster has come. Each endpoint reads the key, there and
// back, so that one which belongs to another cluster, or to the same one before it
// was restored, contradicts the others: of two that answer by turns one goes back.
// An endpoint that does not answer is not heard.
//
// It returns ErrRegressed for a contradiction, and otherwise the error of an
// endpoint if none answered before the context ended.
func (c *Client) Survey(ctx context.Context, key string) (Memory, error) {
	var heard []*endpoint
	var silent error
	for _, e := range c.endpoints.all {
		_, err := c.try(ctx, e, c.readsKey(key))
		switch {
		case err == nil:
			heard = append(heard, e)
		case silent == nil, errors.Is(err, ErrRegressed):
			silent = err
		}
	}
	for _, e := range slices.Backward(heard) {
		if _, err := c.try(ctx, e, c.readsKey(key)); errors.Is(err, ErrRegressed) {
			silent = err
		}
	}
	if len(heard) == 0 || errors.Is(silent, ErrRegressed) {
		return Memory{}, fmt.Errorf("survey endpoints: %w", callError(silent))
	}
	return c.here(), nil
}

// readsKey is a linearizable read of a key, of which only the revision matters.
func (c *Client) readsKey(key string) call {
	return func(ctx context.Context, conn *grpc.ClientConn) error {
		floor := c.memory.floor()
		resp, err := pb.NewKVClient(conn).Range(ctx, &pb.RangeRequest{Key: []byte(key), CountOnly: true})
		if err != nil {
			return err
		}
		return c.memory.judge(floor, resp.Header)
	}
}

// here is how far the cluster is known to have come.
func (c *Client) here() Memory {
	s := c.memory.status()
	return Memory{ClusterID: s.ClusterID, Revision: s.Revision}
}
