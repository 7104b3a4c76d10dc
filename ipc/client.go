package ipc

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// maxIdle is how many connections without a lock are kept for the next
	// ones. One that was not needed for maxIdleTime ends when another is given
	// back.
	maxIdle     = 64
	maxIdleTime = time.Minute

	// helloTimeout bounds the wait for the first reply. Connecting proves
	// nothing: systemd may hold the socket of a daemon that does not run.
	helloTimeout = 10 * time.Second
)

// errSilent is why Dial gives up on a daemon that accepts and says nothing.
var errSilent = fmt.Errorf("no answer within %v", helloTimeout)

// A Client takes locks from this host's daemon. Its methods may be called from
// many goroutines at once. Each lock has a connection of its own, so that a
// wait blocks nobody and the loss of one lock ends no other.
type Client struct {
	path  string
	owner string
	clock func() time.Duration
	host  string
	wg    sync.WaitGroup // a reader for each connection, a keeper for each lock

	mu     sync.Mutex // guards what follows
	closed bool
	conns  map[*conn]struct{} // all that are open
	idle   []*conn            // those of them that hold nothing; the last is used next
}

// A DialOption changes a client before it connects.
type DialOption func(*Client)

// DefaultOwner is the owner of locks that do not say [Owner].
func DefaultOwner(owner string) DialOption {
	return func(c *Client) { c.owner = owner }
}

// Dial connects to the daemon at a socket path; "" is [SocketPath]. It returns
// once the daemon has answered HELLO, or with an error when ctx ends, when the
// daemon does not answer within ten seconds, or when it speaks another version
// of the protocol. The client has no further use for ctx.
func Dial(ctx context.Context, path string, opts ...DialOption) (*Client, error) {
	if path == "" {
		path = SocketPath()
	}
	if err := CheckSocketPath(path); err != nil {
		return nil, err
	}
	c := &Client{path: path, clock: bootTime, conns: make(map[*conn]struct{})}
	for _, opt := range opts {
		opt(c)
	}
	conn, err := c.dial(ctx)
	if err != nil {
		_ = c.Close() // waits; it has no error of its own
		return nil, err
	}
	c.giveBack(conn)
	return c, nil
}

// Host is the name under which the daemon's entries stand in etcd.
func (c *Client) Host() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.host
}

// Close ends every connection, and every lock with it: their contexts end with
// [ErrClosed]. It returns when all goroutines of the client have ended.
func (c *Client) Close() error {
	for _, conn := range c.shut() {
		conn.end(ErrClosed)
	}
	c.wg.Wait()
	return nil
}

// shut lets no further goroutine start and returns the open connections.
func (c *Client) shut() []*conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	conns := make([]*conn, 0, len(c.conns))
	for conn := range c.conns {
		conns = append(conns, conn)
	}
	return conns
}

// borrow takes an idle connection or opens a new one.
func (c *Client) borrow(ctx context.Context) (*conn, error) {
	c.mu.Lock()
	if last := len(c.idle) - 1; last >= 0 {
		defer c.mu.Unlock()
		conn := c.idle[last]
		c.idle = c.idle[:last]
		return conn, nil
	}
	c.mu.Unlock()
	return c.dial(ctx)
}

// giveBack keeps a connection that holds nothing for the next borrower.
func (c *Client) giveBack(conn *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.idle) >= maxIdle || conn.ctx.Err() != nil {
		conn.end(ErrClosed)
		return
	}
	conn.idleSince = c.clock()
	c.idle = append(c.idle, conn)
	if oldest := c.idle[0]; conn.idleSince-oldest.idleSince > maxIdleTime {
		c.idle = c.idle[1:]
		oldest.end(ErrClosed)
	}
}

// dial opens a connection and makes sure that the daemon is at its end.
func (c *Client) dial(ctx context.Context) (*conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, helloTimeout, errSilent)
	defer cancel()
	socket, err := connect(ctx, c.path)
	if err != nil {
		return nil, err
	}
	conn := newConn(socket, c.clock)
	if !c.adopt(conn) {
		conn.end(ErrClosed)
		return nil, ErrClosed
	}
	if err := c.hello(ctx, conn); err != nil {
		conn.end(ErrClosed)
		return nil, fmt.Errorf("greet the daemon at %s: %w", c.path, err)
	}
	return conn, nil
}

// adopt starts the connection's reader. It reports false if the client is
// closed.
func (c *Client) adopt(conn *conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.conns[conn] = struct{}{}
	c.wg.Go(func() {
		conn.read()
		c.forget(conn)
	})
	return true
}

// forget drops a connection that has ended.
func (c *Client) forget(conn *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.conns, conn)
	if at := slices.Index(c.idle, conn); at >= 0 {
		c.idle = slices.Delete(c.idle, at, at+1)
	}
}

func (c *Client) hello(ctx context.Context, conn *conn) error {
	request := Request{Verb: VerbHello, Version: Version, Owner: c.owner}
	call, err := conn.do(ctx, request.Append(nil))
	if err != nil {
		return err
	}
	if spoken := call.last().Int("lockside"); spoken != Version {
		return fmt.Errorf("it speaks version %d of the protocol, not %d", spoken, Version)
	}
	conn.compareClocks(call)
	conn.margin = call.last().Duration("margin")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.host = call.last().Get("host")
	return nil
}
