package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
)

// Pauses between rounds over all endpoints when none of them answered.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// call sends one request on a connection and takes in the reply.
type call func(ctx context.Context, conn *grpc.ClientConn) error

// admit makes an endpoint ready for a request: connected, and its version looked at.
func (c *Client) admit(ctx context.Context, e *endpoint) (*grpc.ClientConn, error) {
	conn := e.connection()
	v := c.endpoints.view(e)
	if err := connected(ctx, conn); err != nil {
		if v.err != nil {
			err = v.err // it says why
		}
		return nil, err
	}
	if !v.answered {
		_, err := c.probe(ctx, e)
		if v = c.endpoints.view(e); !v.answered {
			return nil, cmp.Or(err, v.err)
		}
	}
	switch {
	case v.refused != nil:
		return nil, v.refused
	case v.learner:
		return nil, errLearner
	}
	return conn, nil
}

// try makes one call at one endpoint within the call time-out. Unless sent is
// true, no server can have seen the request.
func (c *Client) try(parent context.Context, e *endpoint, send call) (sent bool, err error) {
	ctx, cancel := context.WithCancelCause(c.calls.context())
	defer cancel(nil)
	stop := context.AfterFunc(parent, func() { cancel(context.Cause(parent)) })
	defer stop()
	conn, err := c.admit(ctx, e)
	if err == nil {
		err = cmp.Or(parent.Err(), ctx.Err())
	}
	if err == nil {
		err = e.login.call(ctx, conn, func() error {
			sent = true
			return send(ctx, conn)
		})
	}
	c.report(parent, e, err)
	return sent, e.located(ctx, err)
}

// located adds to an error where it happened, and why if the call was given up.
func (e *endpoint) located(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("at %s: %w: %w", e.url, cause, err)
	}
	if err != nil {
		return fmt.Errorf("at %s: %w", e.url, err)
	}
	return nil
}

// report demotes an endpoint that did not answer, until its next good probe. A
// call that its caller gave up proves nothing.
func (c *Client) report(parent context.Context, e *endpoint, err error) {
	if err == nil || errors.Is(parent.Err(), context.Canceled) || c.ctx.Err() != nil {
		return
	}
	if !repeatable(err) || errors.Is(err, ErrServerTooOld) {
		return
	}
	c.failed(e, err)
}

// failed demotes an endpoint and has it probed.
func (c *Client) failed(e *endpoint, err error) {
	before := c.endpoints.update(e, func(v *view) { v.healthy, v.err = false, err })
	if before.healthy {
		c.logger.Warn("etcd endpoint failed", "endpoint", e.url, "error", err)
	}
	select {
	case e.poke <- struct{}{}:
	default:
	}
}

// usable says why nothing may be sent at all, or nil.
func (c *Client) usable() error {
	if c.ctx.Err() != nil {
		return ErrClosed
	}
	return c.memory.err()
}

// anywhere repeats a call at one endpoint after the other until one answers,
// refuses for good, or the context ends.
func (c *Client) anywhere(ctx context.Context, send call) error {
	pause := firstPause
	for {
		order, err := c.endpoints.ranked()
		if err == nil {
			err = c.round(ctx, order, send)
		}
		if len(order) == 0 || err == nil || !repeatable(err) {
			return callError(err)
		}
		select {
		case <-time.After(pause):
		case <-c.ctx.Done():
			return ErrClosed
		case <-ctx.Done():
			return callError(err)
		}
		pause = min(2*pause, lastPause)
	}
}

// round tries each endpoint once.
func (c *Client) round(ctx context.Context, order []*endpoint, send call) error {
	err := context.Cause(ctx)
	for _, e := range order {
		if ctx.Err() != nil {
			break
		}
		if _, err = c.try(ctx, e, send); err == nil || !repeatable(err) {
			break
		}
	}
	return err
}
