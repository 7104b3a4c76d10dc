package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// LeaseInfo is what etcd says of a lease.
type LeaseInfo struct {
	Alive   bool          // false if the lease does not exist
	TTL     time.Duration // what is left, rounded down to seconds
	Granted time.Duration
	Keys    []string
}

// Grant asks for a lease under an id of the caller's choice, at one endpoint
// after the other until one answers or the context ends. The time-to-live is
// rounded up to seconds, and granted is what the server made of it. The lease
// lives at least until sent plus granted on the boot clock.
//
// It returns ErrLeaseExists if the id is taken, by an earlier try of this call
// too; Lease then tells more. After ErrUnavailable and ErrNoSpace the lease may
// have been granted, or may yet be, so the id should be revoked and not used again.
func (c *Client) Grant(ctx context.Context, id int64, ttl time.Duration) (granted, sent time.Duration, err error) {
	if err := c.usable(); err != nil {
		return 0, 0, fmt.Errorf("grant lease %x: %w", id, err)
	}
	req := &pb.LeaseGrantRequest{ID: id, TTL: int64((ttl + time.Second - 1) / time.Second)}
	var resp *pb.LeaseGrantResponse
	sent = c.clock.Now()
	err = c.anywhere(ctx, func(ctx context.Context, conn *grpc.ClientConn) (err error) {
		if resp, err = pb.NewLeaseClient(conn).LeaseGrant(ctx, req); err != nil {
			return err
		}
		return c.memory.judgeCluster(resp.Header)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("grant lease %x: %w", id, err)
	}
	return time.Duration(resp.TTL) * time.Second, sent, nil
}

// Revoke ends a lease and deletes its keys, at one endpoint after the other until
// one answers or the context ends. A lease that does not exist is no error. It
// works on a regressed cluster too.
func (c *Client) Revoke(ctx context.Context, id int64) error {
	if c.ctx.Err() != nil {
		return fmt.Errorf("revoke lease %x: %w", id, ErrClosed)
	}
	err := c.anywhere(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
		_, err := pb.NewLeaseClient(conn).LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: id})
		return err
	})
	if err != nil && !errors.Is(err, ErrLeaseNotFound) {
		return fmt.Errorf("revoke lease %x: %w", id, err)
	}
	return nil
}

// Lease asks what is left of a lease and which keys hang on it, at one endpoint
// after the other until one answers or the context ends.
func (c *Client) Lease(ctx context.Context, id int64) (LeaseInfo, error) {
	if err := c.usable(); err != nil {
		return LeaseInfo{}, fmt.Errorf("look at lease %x: %w", id, err)
	}
	var resp *pb.LeaseTimeToLiveResponse
	err := c.anywhere(ctx, func(ctx context.Context, conn *grpc.ClientConn) (err error) {
		req := &pb.LeaseTimeToLiveRequest{ID: id, Keys: true}
		if resp, err = pb.NewLeaseClient(conn).LeaseTimeToLive(ctx, req); err != nil {
			return err
		}
		return c.memory.judgeCluster(resp.Header)
	})
	if err != nil {
		return LeaseInfo{}, fmt.Errorf("look at lease %x: %w", id, err)
	}
	return leaseInfo(resp), nil
}

// leaseInfo reads a reply. A TTL of -1 means that there is no such lease; one of
// zero or less, that it has expired and is about to be revoked.
func leaseInfo(resp *pb.LeaseTimeToLiveResponse) LeaseInfo {
	if resp.TTL == -1 {
		return LeaseInfo{}
	}
	info := LeaseInfo{
		Alive:   true,
		TTL:     time.Duration(max(resp.TTL, 0)) * time.Second,
		Granted: time.Duration(resp.GrantedTTL) * time.Second,
	}
	for _, key := range resp.Keys {
		info.Keys = append(info.Keys, string(key))
	}
	return info
}
