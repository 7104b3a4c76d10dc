package ipc

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// A Lock is one or several names held. It is lost when its context says so,
// and whatever it guards must have stopped by then, or must check the fence.
type Lock struct {
	client *Client
	conn   *conn
	grant  *Grant

	ctx    context.Context
	cancel context.CancelCauseFunc
	kept   chan struct{} // closed when the keeper has ended

	unlocked atomic.Bool
	deadline atomic.Int64 // a moment on the client's clock, in nanoseconds
}

// Fence is the fencing token: of two grants of one name the later has the
// greater one. Several names taken together have one fence.
func (l *Lock) Fence() int64 { return l.grant.Fence }

// Cluster is the id of the etcd cluster whose revision the fence is, which goes
// with the fence: a resource that has seen fences of one cluster cannot compare
// them to another's. It is 0 with a daemon that does not tell.
func (l *Lock) Cluster() uint64 { return l.grant.Cluster }

// Name is the name, the first one if there are several.
func (l *Lock) Name() string { return l.grant.Names[0] }

// Names are the names in the order in which they were asked for. The slice
// must not be changed.
func (l *Lock) Names() []string { return l.grant.Names }

// Key is the key of the first name's entry in etcd, for package fencing/etcdguard:
// a transaction may ask whether the entry is there, and is the first of its queue.
func (l *Lock) Key() string { return l.grant.Keys[0] }

// Keys are the keys of all names, in the order of Names. The slice must not be
// changed.
func (l *Lock) Keys() []string { return l.grant.Keys }

// Lease is the id of the etcd lease that the entries hang on. Other locks of
// this host may share it.
func (l *Lock) Lease() int64 { return l.grant.Lease }

// TTL is the lease's time to live as etcd granted it.
func (l *Lock) TTL() time.Duration { return l.grant.TTL }

// Margin is how long before the lease can end in etcd the daemon ends the lock when
// it cannot renew: the time in which the holder has to stop.
func (l *Lock) Margin() time.Duration {
	if l.conn.margin > 0 {
		return l.conn.margin
	}
	return max(l.grant.TTL/6, time.Second)
}

// Context ends when the lock does. [context.Cause] is then a [*LostError] if
// the lock was lost, [ErrReleased] after Unlock, or [ErrClosed] after
// [Client.Close]. It ends before another client can be granted the name, with
// the daemon's margin to spare, even when the daemon has stopped answering.
// It carries the values of the context that Lock was given, but neither its
// cancellation nor its deadline.
func (l *Lock) Context() context.Context { return l.ctx }

// Left is how long the lock is safe by what the daemon last said. It costs no
// request. CHECK requests renew it in the background.
func (l *Lock) Left() time.Duration {
	if l.ctx.Err() != nil {
		return 0
	}
	return max(time.Duration(l.deadline.Load())-l.client.clock(), 0)
}

// Check asks the daemon how long the lock is safe. It returns what Left
// returns after the answer, or a [*LostError]. When ctx ends first its cause
// is returned, and the lock stays.
func (l *Lock) Check(ctx context.Context) (time.Duration, error) {
	return l.check(ctx, false)
}

// Verify is Check, but the daemon asks etcd as well, and answers
// [ErrUnavailable] if that does not answer in time; the lock stays then.
func (l *Lock) Verify(ctx context.Context) (time.Duration, error) {
	return l.check(ctx, true)
}

func (l *Lock) check(ctx context.Context, verify bool) (time.Duration, error) {
	if l.ctx.Err() != nil {
		return 0, context.Cause(l.ctx)
	}
	call, err := l.conn.do(ctx, checkLine(l.grant, verify))
	if err != nil {
		return 0, fmt.Errorf("check %s: %w", l.Name(), err)
	}
	l.extend(call)
	return l.Left(), nil
}

// Unlock ends the lock's context and releases the names. It returns once the
// release is committed in etcd. If ctx ends first, or the daemon answers with
// an error, the connection is closed, so that the daemon releases them as soon
// as it can.
//
// A lock that was lost before is a [*LostError]; a second Unlock is
// [ErrReleased].
func (l *Lock) Unlock(ctx context.Context) error {
	l.cancel(ErrReleased)
	<-l.kept
	if cause := context.Cause(l.ctx); cause != ErrReleased {
		return fmt.Errorf("unlock %s: %w", l.Name(), cause)
	}
	if l.unlocked.Swap(true) {
		return fmt.Errorf("unlock %s: %w", l.Name(), ErrReleased)
	}
	unlock := Request{Verb: VerbUnlock, Names: l.grant.Names, Fence: l.grant.Fence}
	_, err := l.conn.do(ctx, unlock.Append(nil))
	if err != nil {
		l.conn.end(err)
		return fmt.Errorf("unlock %s: %w", strings.Join(l.grant.Names, " "), err)
	}
	l.client.giveBack(l.conn)
	return nil
}
