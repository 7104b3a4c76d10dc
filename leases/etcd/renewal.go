package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
)

// Renewal keeps one lease alive on a stream of its own, since a server answers the
// renewals of one stream strictly in turn and one stuck lease would hold up the rest.
type Renewal struct {
	c      *Client
	lease  int64
	ttl    time.Duration
	late   func(ttl, sent time.Duration, err error)
	ctx    context.Context // ends at Close
	cancel context.CancelFunc
	work   sync.WaitGroup // exchanges

	mu     sync.Mutex // held for an attempt; guards what follows
	stream *renewalStream
	tried  []*endpoint // endpoints that failed since the last success
}

// NewRenewal makes a renewal of a lease of a TTL, which has to be closed. It does
// nothing until Renew is called. The answer to an attempt that was over before it
// came is given to late, with what Renew would have returned, while it can be of
// use: for a TTL after its request was sent. So an etcd that is slow costs no lease,
// however many attempts at others are made meanwhile. A nil late wants none.
func (c *Client) NewRenewal(lease int64, ttl time.Duration, late func(ttl, sent time.Duration, err error)) *Renewal {
	r := &Renewal{c: c, lease: lease, ttl: ttl, late: late}
	r.ctx, r.cancel = context.WithCancel(c.ctx)
	return r
}

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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	if attempt == 0 {
		r.tried = nil
	}
	ttl, sent, err = r.attemptLocked(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("renew lease %x: %w", r.lease, err)
	}
	return ttl, sent, nil
}

// Close ends the streams and an attempt under way. The lease lives on.
func (r *Renewal) Close() {
	r.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropLocked()
	r.work.Wait()
}

// attemptLocked tries one endpoint after the other while the context lasts.
func (r *Renewal) attemptLocked(ctx context.Context) (ttl, sent time.Duration, err error) {
	if r.ctx.Err() != nil {
		return 0, 0, ErrClosed
	}
	if err := r.c.usable(); err != nil {
		return 0, 0, err
	}
	order, err := r.untriedLocked()
	for _, e := range order {
		ttl, sent, err = r.renewLocked(ctx, e)
		if err == nil || errors.Is(err, ErrLeaseNotFound) || !repeatable(err) || ctx.Err() != nil {
			break
		}
	}
	return ttl, sent, err
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
		if r.ctx.Err() == nil { // closing it breaks the stream before the attempt's context ends
			r.c.report(ctx, e, err)
		}
	}
	return ttl, sent, callError(err)
}

// exchangeLocked sends one request and waits for its answer. The stream is used
// again only if that comes before the context ends: an answer must never be taken
// for that of a later request.
func (r *Renewal) exchangeLocked(ctx context.Context, e *endpoint, conn *grpc.ClientConn) (ttl, sent time.Duration, err error) {
	if r.stream == nil || r.stream.at != e {
		r.dropLocked()
		if r.stream, err = r.openStream(ctx, e, conn); err != nil {
			return 0, 0, err
		}
	}
	x := r.begin(r.stream)
	select {
	case <-x.over:
	case <-ctx.Done():
		r.stream = nil
		r.work.Go(func() { r.wait(x) })
		return 0, 0, context.Cause(ctx)
	}
	if x.err != nil {
		r.dropLocked()
	}
	ttl, err = r.judge(x)
	return ttl, x.sent, err
}

func (r *Renewal) dropLocked() {
	if r.stream != nil {
		r.stream.cancel()
		r.stream = nil
	}
}
