package etcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// Renewal keeps one lease alive on a stream of its own, since a server answers the
// renewals of one stream strictly in turn and one stuck lease would hold up the rest.
type Renewal struct {
	c     *Client
	lease int64

	mu     sync.Mutex // held for an attempt; guards what follows
	stream *renewalStream
	tried  []*endpoint // endpoints that failed since the last success
}

// renewalStream is one LeaseKeepAlive stream. At most one request is unanswered
// on it, so an answer can only belong to the request before it.
type renewalStream struct {
	pb.Lease_LeaseKeepAliveClient
	at     *endpoint
	cancel context.CancelFunc
}

// NewRenewal makes a renewal of a lease. It does nothing until Renew is called.
func (c *Client) NewRenewal(lease int64) *Renewal { return &Renewal{c: c, lease: lease} }

// Renew makes one attempt to renew the lease before the context ends. Attempt 0
// goes to the preferred endpoint, the leader if it is known; each further
// attempt without a success between goes to one that has not been tried.
//
// The lease lives at least until sent plus ttl on the boot clock, where sent was
// read before the request that was answered left.
//
// It returns ErrLeaseNotFound if the lease is gone. Any other error, such as
// ErrUnavailable or ErrDenied, says nothing of the lease.
func (r *Renewal) Renew(ctx context.Context, attempt int) (ttl, sent time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.c.usable(); err != nil {
		return 0, 0, fmt.Errorf("renew lease %x: %w", r.lease, err)
	}
	if attempt == 0 {
		r.tried = nil
	}
	order, err := r.untriedLocked()
	for _, e := range order {
		ttl, sent, err = r.renewLocked(ctx, e)
		if err == nil || errors.Is(err, ErrLeaseNotFound) || !repeatable(err) || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return 0, 0, fmt.Errorf("renew lease %x: %w", r.lease, err)
	}
	return ttl, sent, nil
}

// Close ends the stream. The lease lives on.
func (r *Renewal) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropLocked()
}

// untriedLocked is where to try now, in order. A failed endpoint has been demoted
// by then, so its place in the order does not tell whether it had its turn.
func (r *Renewal) untriedLocked() ([]*endpoint, error) {
	order, err := r.c.endpoints.ranked()
	left := slices.DeleteFunc(slices.Clone(order), func(e *endpoint) bool { return slices.Contains(r.tried, e) })
	if len(left) == 0 {
		r.tried = nil
		return order, err
	}
	return left, nil
}

// renewLocked makes one attempt at one endpoint.
func (r *Renewal) renewLocked(ctx context.Context, e *endpoint) (ttl, sent time.Duration, err error) {
	conn, err := r.c.admit(ctx, e)
	if err == nil {
		err = e.login.call(ctx, conn, func() (err error) {
			ttl, sent, err = r.exchangeLocked(ctx, e, conn)
			return err
		})
	}
	switch {
	case err == nil:
		r.tried = nil
	case !errors.Is(err, ErrLeaseNotFound):
		err = e.located(ctx, err)
		r.tried = append(r.tried, e)
		r.c.report(ctx, e, err)
	}
	return ttl, sent, callError(err)
}

// exchangeLocked sends one request and waits for its answer. The stream outlives
// it only if the answer came before the context ended: a late answer must never
// be taken for that of a later request.
func (r *Renewal) exchangeLocked(ctx context.Context, e *endpoint, conn *grpc.ClientConn) (ttl, sent time.Duration, err error) {
	if r.stream == nil || r.stream.at != e {
		r.dropLocked()
		if r.stream, err = r.c.openRenewal(ctx, e, conn); err != nil {
			return 0, 0, err
		}
	}
	stop := context.AfterFunc(ctx, r.stream.cancel)
	sent = r.c.clock.Now()
	resp, err := r.stream.ask(r.lease)
	if !stop() || err != nil {
		r.dropLocked()
	}
	if err == nil {
		err = r.c.memory.judgeCluster(resp.Header)
	}
	if err != nil {
		return 0, 0, err
	}
	if resp.TTL <= 0 {
		return 0, 0, ErrLeaseNotFound
	}
	return time.Duration(resp.TTL) * time.Second, sent, nil
}

// openRenewal opens a stream that lives until it is cancelled or the client is
// closed. The context bounds only the opening.
func (c *Client) openRenewal(ctx context.Context, e *endpoint, conn *grpc.ClientConn) (*renewalStream, error) {
	life, cancel := context.WithCancel(requireLeader(c.ctx))
	stop := context.AfterFunc(ctx, cancel)
	stream, err := pb.NewLeaseClient(conn).LeaseKeepAlive(life)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &renewalStream{stream, e, cancel}, nil
}

// ask makes one exchange on the stream.
func (s *renewalStream) ask(lease int64) (*pb.LeaseKeepAliveResponse, error) {
	if err := s.Send(&pb.LeaseKeepAliveRequest{ID: lease}); err != nil && err != io.EOF {
		return nil, err
	}
	resp, err := s.Recv() // after io.EOF this is why the stream ended
	if err != nil {
		return nil, err
	}
	if resp.ID != lease {
		return nil, fmt.Errorf("answer for lease %x", resp.ID)
	}
	return resp, nil
}

func (r *Renewal) dropLocked() {
	if r.stream != nil {
		r.stream.cancel()
		r.stream = nil
	}
}

// requireLeader has a member without a leader refuse a stream, and end it once
// it has lost its leader for three election time-outs, instead of staying silent.
func requireLeader(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, rpctypes.MetadataRequireLeaderKey, rpctypes.MetadataHasLeader)
}
