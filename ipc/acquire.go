package ipc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// cancelGrace bounds how long a Lock whose context has ended waits for the
// daemon to take it out of the queue. After that the connection is closed,
// which does the same as soon as the daemon notices.
const cancelGrace = 2 * time.Second

// A LockOption changes what LOCK asks for.
type LockOption func(*Request)

// Wait bounds the wait: [ErrTimeout] is returned after it. Without Wait, and
// with [WaitForever], only the context bounds it. No time left is [Try].
func Wait(d time.Duration) LockOption {
	return func(r *Request) {
		if r.Wait = d; d != WaitForever {
			r.Wait = max(d, 0)
		}
	}
}

// Try waits for nobody: [ErrBusy] is returned if the name is held.
func Try() LockOption { return Wait(0) }

// TTL asks for a lease of that many seconds. The daemon has bounds of its own,
// and [Lock.TTL] tells what was granted.
func TTL(d time.Duration) LockOption {
	return func(r *Request) { r.TTL = d }
}

// Owner is shown by WHO beside what the daemon found out itself.
func Owner(owner string) LockOption {
	return func(r *Request) { r.Owner = owner }
}

// Lock waits for a name and takes it. See [Client.LockAll].
func (c *Client) Lock(ctx context.Context, name string, opts ...LockOption) (*Lock, error) {
	return c.LockAll(ctx, []string{name}, opts...)
}

// LockAll takes several names at once, all or none, with one fence.
//
// It returns when the names are granted, or with an error: an [*Error] when
// the daemon refuses, a [*LostError] when the connection ends while waiting,
// or the cause of ctx when that ends. Whatever the error, nothing stays in the
// queue. The lock does not depend on ctx once it is granted.
func (c *Client) LockAll(ctx context.Context, names []string, opts ...LockOption) (*Lock, error) {
	request := &Request{Verb: VerbLock, Names: slices.Clone(names), Wait: WaitForever}
	for _, opt := range opts {
		opt(request)
	}
	lock, err := c.lock(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", strings.Join(names, " "), err)
	}
	return lock, nil
}

func (c *Client) lock(ctx context.Context, request *Request) (*Lock, error) {
	line, err := checkedLine(request)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	conn, err := c.borrow(ctx)
	if err != nil {
		return nil, err
	}
	grant, err := c.acquire(ctx, conn, line, request.Names)
	if err != nil {
		return nil, err
	}
	lock, err := c.keep(ctx, conn, grant)
	if err != nil {
		c.release(ctx, conn, grant.Names)
		return nil, err
	}
	return lock, nil
}

// checkedLine is the line of a request that the daemon will not find malformed.
// One that is too long would cost the connection.
func checkedLine(request *Request) ([]byte, error) {
	line := request.Append(nil)
	if len(line) > MaxLine {
		return nil, ErrTooLong
	}
	if err := new(Request).Parse(line[:len(line)-1]); err != nil {
		return nil, err
	}
	return line, nil
}

// acquire sends a LOCK and waits for its reply. After an error nothing is held
// and the connection is in other hands.
func (c *Client) acquire(ctx context.Context, conn *conn, line []byte, names []string) (*Grant, error) {
	call := conn.send(line)
	if err := conn.wait(ctx, call); err != nil {
		c.withdraw(ctx, conn, call, names)
		return nil, err
	}
	if err := call.err(); err != nil {
		c.giveBack(conn)
		return nil, err
	}
	grant, err := parseGrant(names, call.replies)
	if err != nil {
		conn.end(err)
	}
	return grant, err
}

// withdraw ends the wait of a LOCK whose caller has gone. The daemon may have
// granted it before it read the CANCEL; then it is released.
func (c *Client) withdraw(ctx context.Context, conn *conn, lock *call, names []string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
	defer stop()
	cancel := conn.send([]byte("CANCEL\n"))
	if err := conn.wait(ctx, cancel); err != nil {
		conn.end(err)
		return
	}
	if lock.err() == nil {
		c.release(ctx, conn, names)
		return
	}
	c.giveBack(conn)
}

// release unlocks names that were granted to nobody any more.
func (c *Client) release(ctx context.Context, conn *conn, names []string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
	defer stop()
	unlock := Request{Verb: VerbUnlock, Names: names}
	_, err := conn.do(ctx, unlock.Append(nil))
	if err != nil && !errors.Is(err, ErrNotHeld) {
		conn.end(err)
		return
	}
	c.giveBack(conn)
}
