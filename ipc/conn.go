package ipc

import (
	"bufio"
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// A conn is one connection of the client: one session of the daemon. A
// goroutine of the [Client]'s reads it from beginning to end, so that a loss
// is seen whether or not anybody waits for a reply.
type conn struct {
	socket net.Conn
	clock  func() time.Duration
	shared bool          // the daemon reads the same clock, so its moments are ours
	margin time.Duration // of the daemon, the same for every TTL; zero leaves it to the TTL

	// ctx ends with the connection. Its cause says why; the first one counts.
	ctx    context.Context
	cancel context.CancelCauseFunc

	idleSince time.Duration // on the clock; guarded by the client's mutex

	// turn holds the last call that do made. Whoever takes it may send the
	// next once that one is answered, so what lies unread at a daemon that
	// has stopped is bounded, and no write ever blocks.
	turn chan *call

	mu    sync.Mutex // guards what follows, and orders calls as they are written
	calls []*call    // not yet answered, the oldest first
}

// A call is a request that was sent.
type call struct {
	sent    time.Duration // on the client's clock, before it was written
	done    chan struct{} // closed once the last line of the reply is there
	replies []Reply       // what has been read of the reply
}

func newConn(socket net.Conn, clock func() time.Duration) *conn {
	c := &conn{socket: socket, clock: clock, turn: make(chan *call, 1)}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	first := &call{done: make(chan struct{})}
	close(first.done)
	c.turn <- first
	return c
}

// do sends a line and waits for its reply, which is nil if none came. An ERR
// reply is returned with its [*Error]. When ctx ends, its cause is returned and
// the reply, which will still come, is ignored.
func (c *conn) do(ctx context.Context, line []byte) (*call, error) {
	call, err := c.sendInTurn(ctx, line)
	if err != nil {
		return nil, err
	}
	if err := c.wait(ctx, call); err != nil {
		return nil, err
	}
	return call, call.err()
}

// sendInTurn sends a line once the one before it is answered.
func (c *conn) sendInTurn(ctx context.Context, line []byte) (*call, error) {
	var last *call
	select {
	case last = <-c.turn:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err := c.wait(ctx, last); err != nil {
		c.turn <- last
		return nil, err
	}
	call := c.send(line)
	c.turn <- call
	return call, nil
}

// send writes a line at once, whatever is still unanswered.
func (c *conn) send(line []byte) *call {
	call := &call{done: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
	call.sent = c.clock()
	if _, err := c.socket.Write(line); err != nil {
		// The daemon has gone. What it said last may still be unread, so
		// the reader has a moment to find the reason.
		_ = c.socket.SetReadDeadline(time.Now().Add(time.Second))
	}
	return call
}

// wait waits until a call is answered, the connection or ctx ends, in this
// order of precedence.
func (c *conn) wait(ctx context.Context, call *call) error {
	select {
	case <-call.done:
		return nil
	case <-c.ctx.Done():
	case <-ctx.Done():
	}
	select {
	case <-call.done:
		return nil
	default:
	}
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return context.Cause(ctx)
}

// err is the error of a call that is answered.
func (c *call) err() error { return c.replies[len(c.replies)-1].Err() }

// last is the fields of the line that ends the reply.
func (c *call) last() Fields { return c.replies[len(c.replies)-1].Fields }

// read reads lines until the connection ends.
func (c *conn) read() { c.end(&LostError{Reason: c.readLines()}) }

func (c *conn) readLines() Reason {
	in := bufio.NewReaderSize(c.socket, MaxLine)
	for {
		line, err := ReadLine(in)
		if errors.Is(err, ErrTooLong) {
			return ReasonGarbled
		}
		if err != nil {
			return ReasonEOF
		}
		reply, err := ParseReply(line)
		switch {
		case err != nil:
			return ReasonGarbled
		case reply.Event == EventLost:
			return Reason(reply.Fields.Get("reason"))
		case reply.Kind != KindEvent && !c.deliver(reply):
			return ReasonGarbled
		}
	}
}

// deliver hands a line of a reply to the oldest call. It reports false if
// there is none.
func (c *conn) deliver(reply Reply) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) == 0 {
		return false
	}
	head := c.calls[0]
	head.replies = append(head.replies, reply)
	if reply.Kind != KindData {
		c.calls = c.calls[1:]
		close(head.done)
	}
	return true
}

// end closes the connection. The cause is told before the daemon can see the
// end and give a lock of this session to another.
func (c *conn) end(cause error) {
	c.cancel(cause)
	_ = c.socket.Close()
}
