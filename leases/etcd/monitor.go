package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"
)

const (
	probeEvery   = 5 * time.Second // while an endpoint is healthy
	probeAgain   = time.Second     // while it is not
	probeTimeout = 2 * time.Second

	// redialAfter probes without any answer a connection is given up. Its peer may
	// be a balancer that holds it to a frozen member, while a new connection would
	// reach another. A member that tells its status is there, however slow it is.
	redialAfter = 2
)

// monitor probes an endpoint until the client is closed.
func (c *Client) monitor(e *endpoint) {
	silent := 0
	for c.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(c.ctx, probeTimeout)
		heard, err := c.probe(ctx, e)
		if heard || ctx.Err() == nil {
			silent = 0
		} else if silent++; silent == redialAfter {
			silent = 0
			c.redial(e)
		}
		cancel()
		if err != nil && refusal(err) == nil { // a wrong password must not cost etcd much
			c.rest(e, probeAgain)
		} else {
			c.rest(e, probeEvery)
		}
	}
}

// rest waits until a probe is due: when about a pause has passed, a call has failed,
// or the connection was lost or made, perhaps to a server of another version. Many
// hosts that started at once must not go on asking at once.
func (c *Client) rest(e *endpoint, pause time.Duration) {
	conn := e.connection()
	state := conn.GetState()
	ctx, cancel := context.WithTimeout(c.ctx, pause*3/4+rand.N(pause/2))
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	wait.Go(func() {
		conn.WaitForStateChange(ctx, state)
		cancel()
	})
	select {
	case <-e.poke:
	case <-ctx.Done():
	}
}

func (c *Client) redial(e *endpoint) {
	if err := e.redial(); err != nil {
		c.logger.Warn("etcd endpoint not connected anew", "endpoint", e.url, "error", err)
	}
}

// probe asks an endpoint who it is and whether it can serve, takes the answer into its
// view, and reports whether there was one. A view without an answer says only why there
// is none; the version has to be looked at again if the connection is lost.
func (c *Client) probe(ctx context.Context, e *endpoint) (heard bool, err error) {
	v := c.look(ctx, e)
	if c.ctx.Err() != nil {
		return false, ErrClosed
	}
	before := c.endpoints.update(e, func(old *view) {
		if v.answered {
			*old = v
			return
		}
		old.healthy, old.err = false, v.err
		old.answered = old.answered && e.connection().GetState() == connectivity.Ready
	})
	c.tell(e, before, v)
	return v.answered, v.err
}

// look makes the view of an endpoint. Status is answered by a member alone, so a
// linearizable read follows, as in `etcdctl endpoint health`. Before 3.5.32 and
// 3.6.12 Status is for root only, and a member that denies it keeps its version to
// itself.
func (c *Client) look(ctx context.Context, e *endpoint) view {
	conn := e.connection()
	var s *pb.StatusResponse
	err := e.login.call(ctx, conn, func() (err error) {
		s, err = pb.NewMaintenanceClient(conn).Status(ctx, &pb.StatusRequest{})
		return err
	})
	v := view{answered: true}
	switch {
	case err == nil:
		v = c.read(s)
	case status.Code(err) != codes.PermissionDenied:
		return view{err: fmt.Errorf("ask for status: %w", err)}
	}
	if (v.err == nil || errors.Is(v.err, ErrRegressed)) && v.refused == nil && !v.learner {
		v.err = cmp.Or(c.readable(ctx, conn), v.err)
	}
	v.healthy = v.err == nil && v.refused == nil
	return v
}

// read makes a view of a status.
func (c *Client) read(s *pb.StatusResponse) view {
	number, err := parseVersion(s.Version)
	if err != nil {
		return view{err: err}
	}
	v := view{
		answered: true,
		version:  s.Version,
		leader:   s.Leader == s.Header.GetMemberId(),
		learner:  s.IsLearner,
		member:   s.Header.GetMemberId(),
		term:     s.RaftTerm,
		err:      c.memory.judgeCluster(s.Header),
	}
	if why := number.refuse(); why != "" && !c.allowOld {
		v.refused = fmt.Errorf("%w: version %s: %s; upgrade it to 3.5.28 or 3.6.9 at least, or allow old servers", ErrServerTooOld, s.Version, why)
	}
	if v.err == nil && s.Leader == 0 {
		v.err = errors.New("member has no leader")
	}
	return v
}

// readable makes a linearizable read. Being denied the key proves as much as
// reading it. The revision is remembered, so that a host which does nothing is
// seconds behind at most when the cluster is put back.
func (c *Client) readable(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := c.readKey(ctx, conn, "health")
	if err != nil && status.Code(err) != codes.PermissionDenied {
		return fmt.Errorf("make a linearizable read: %w", err)
	}
	return nil
}

// tell logs what a probe changed.
func (c *Client) tell(e *endpoint, before, now view) {
	switch {
	case now.err != nil && (before.healthy || before.err == nil):
		c.logger.Warn("etcd endpoint failed", "endpoint", e.url, "error", now.err)
	case now.healthy && !before.healthy:
		c.logger.Info("etcd endpoint is well", "endpoint", e.url, "version", now.version, "leader", now.leader)
	}
	if now.answered && (now.version != before.version || now.version == "" && !before.answered) {
		c.tellVersion(e, now)
	}
}

func (c *Client) tellVersion(e *endpoint, v view) {
	number, err := parseVersion(v.version)
	switch {
	case v.refused != nil:
		c.logger.Error("etcd endpoint refused", "endpoint", e.url, "error", v.refused)
	case err != nil:
		c.logger.Warn("etcd version unknown: status denied", "endpoint", e.url)
	case number.warn() != "":
		c.logger.Warn("etcd should be upgraded", "endpoint", e.url, "version", v.version, "reason", number.warn())
	}
}
