package ipc

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// tick is how often a keeper looks at the clock at least. Timers stand still
// while the host is suspended, so this is also how soon after it wakes up a
// passed deadline is seen.
const tick = 200 * time.Millisecond

// A keeper watches over a lock until it ends: it asks the daemon again a third
// of the way to the deadline, and ends the lock's context at the loss of the
// connection, or when the deadline passes without an answer.
type keeper struct {
	lock  *Lock
	next  time.Duration // when to ask, on the client's clock
	check *call         // the CHECK that is not yet answered, or nil
}

// keep makes a Lock of a grant: it learns the deadline and starts the keeper.
// After an error the connection may still hold the names.
func (c *Client) keep(ctx context.Context, conn *conn, grant *Grant) (*Lock, error) {
	l := &Lock{client: c, conn: conn, grant: grant, kept: make(chan struct{})}
	if err := l.learn(ctx); err != nil {
		return nil, fmt.Errorf("learn how long it is safe: %w", err)
	}
	l.ctx, l.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	k := &keeper{lock: l}
	k.plan()
	if !c.start(k.run) {
		l.cancel(ErrClosed)
		return nil, ErrClosed
	}
	return l, nil
}

// start runs a goroutine that Close waits for. It reports false if the client
// is closed.
func (c *Client) start(run func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.wg.Go(run)
	return true
}

// checkLine asks for the time left. All names of a grant hang on one lease, so
// the first speaks for all.
func checkLine(grant *Grant, verify bool) []byte {
	request := Request{Verb: VerbCheck, Names: grant.Names[:1], Verify: verify}
	return request.Append(nil)
}

// learn takes the deadline from the grant, or asks for it if the daemon's moments
// are none of ours.
func (l *Lock) learn(ctx context.Context) error {
	if l.conn.shared && l.grant.Until > 0 {
		l.deadline.Store(int64(l.grant.Until))
	} else {
		call, err := l.conn.do(ctx, checkLine(l.grant, false))
		if err != nil {
			return err
		}
		l.extend(call)
	}
	if l.client.clock() >= time.Duration(l.deadline.Load()) {
		return &LostError{ReasonClientDeadline}
	}
	return nil
}

// extend moves the deadline to what the reply to a CHECK allows. If the daemon's
// moments are none of ours, the time left counts from when the request was sent,
// since the daemon may have read it at once. A lease is only ever renewed, so of
// several replies the one that allows most holds.
func (l *Lock) extend(check *call) {
	until := int64(check.sent + check.last().Duration("left"))
	if l.conn.shared {
		until = max(until, int64(check.last().Duration("until")))
	}
	for {
		before := l.deadline.Load()
		if until <= before || l.deadline.CompareAndSwap(before, until) {
			return
		}
	}
}

func (k *keeper) run() {
	l := k.lock
	defer close(l.kept)
	timer := time.NewTimer(k.pause())
	defer timer.Stop()
	for ; ; timer.Reset(k.pause()) {
		cause := k.wait(timer.C)
		if l.ctx.Err() != nil {
			return // released: the connection is Unlock's
		}
		if cause != nil {
			// The context first: once the connection is closed, the
			// daemon may give the name to another.
			l.cancel(cause)
			l.leave(cause)
			return
		}
	}
}

// leave ends the connection of a lost lock. A daemon that gave no answer before our
// deadline may be there again, and would give the name away as soon as it reads our
// end, so it does not before the margin is over.
func (l *Lock) leave(cause error) {
	lost, ok := errors.AsType[*LostError](cause)
	if !ok || lost.Reason != ReasonClientDeadline || !l.client.start(func() { l.linger(cause) }) {
		l.conn.end(cause)
	}
}

func (l *Lock) linger(cause error) {
	timer := time.NewTimer(l.Margin())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.conn.ctx.Done():
	}
	l.conn.end(cause)
}

// wait waits for whatever happens first and returns why the lock has ended, or
// nil while it has not.
func (k *keeper) wait(timer <-chan time.Time) error {
	var answered chan struct{}
	if k.check != nil {
		answered = k.check.done
	}
	select {
	case <-k.lock.ctx.Done():
		return context.Cause(k.lock.ctx)
	case <-k.lock.conn.ctx.Done():
		return context.Cause(k.lock.conn.ctx)
	case <-answered:
		return k.look(true)
	case <-timer:
		return k.look(false)
	}
}

// pause is how long nothing has to be done: until the next CHECK, or until the
// deadline while one is not answered, but no longer than a tick.
func (k *keeper) pause() time.Duration {
	until := k.next
	if k.check != nil {
		until = time.Duration(k.lock.deadline.Load())
	}
	return max(min(until-k.lock.client.clock(), tick), time.Millisecond)
}

// look compares the deadline with the clock before anything else, so that an
// answer which came too late revives nothing.
func (k *keeper) look(answered bool) error {
	l := k.lock
	now := l.client.clock()
	switch {
	case now >= time.Duration(l.deadline.Load()):
		return &LostError{ReasonClientDeadline}
	case answered:
		return k.answered()
	case k.check == nil && now >= k.next:
		k.check = l.conn.send(checkLine(l.grant, false))
	}
	return nil
}

// answered reads the reply to a CHECK. One that says nothing about the lock,
// whatever it is, leaves the deadline where it was.
func (k *keeper) answered() error {
	err := k.check.err()
	if errors.Is(err, ErrNotHeld) {
		return &LostError{ReasonNotHeld}
	}
	if err == nil {
		k.lock.extend(k.check)
	}
	k.check = nil
	k.plan()
	return nil
}

// plan asks again a third of the way from now to the deadline.
func (k *keeper) plan() {
	now := k.lock.client.clock()
	k.next = now + (time.Duration(k.lock.deadline.Load())-now)/3
}
