package ipc

import (
	"context"
	"fmt"
	"strings"
)

// Who lists the queue of a name in the order of the queue, the holder first,
// of every host. It is empty when nobody holds the name.
func (c *Client) Who(ctx context.Context, name string) ([]Entry, error) {
	return c.entries(ctx, &Request{Verb: VerbWho, Names: []string{name}})
}

// List lists the locks that a scope has and whose names match a glob; see
// [MatchGlob]. A client's locks are each on a session of its own, so of
// [ScopeSession] there are none.
func (c *Client) List(ctx context.Context, glob string, scope Scope) ([]Entry, error) {
	return c.entries(ctx, &Request{Verb: VerbList, Glob: glob, Scope: scope})
}

func (c *Client) entries(ctx context.Context, request *Request) ([]Entry, error) {
	lines, err := c.ask(ctx, request)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(lines))
	for _, line := range lines {
		entries = append(entries, parseEntry(line))
	}
	return entries, nil
}

// Status is what the daemon says about itself, its store and its leases. The
// field about= of each line says what it is about.
func (c *Client) Status(ctx context.Context) ([]Fields, error) {
	return c.ask(ctx, &Request{Verb: VerbStatus})
}

// Ping returns once the daemon has answered.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.ask(ctx, &Request{Verb: VerbPing})
	return err
}

// ask sends a request that leaves nothing on the session, and returns the
// lines that come before the last of the reply. A connection whose reply was
// not waited for is closed: the reply might be very long.
func (c *Client) ask(ctx context.Context, request *Request) ([]Fields, error) {
	line, err := checkedLine(request)
	if err != nil {
		return nil, err
	}
	conn, err := c.borrow(ctx)
	if err != nil {
		return nil, err
	}
	call, err := conn.do(ctx, line)
	if call == nil {
		conn.end(err)
		return nil, fmt.Errorf("ask the daemon: %w", err)
	}
	c.giveBack(conn)
	if err != nil {
		return nil, err
	}
	lines := make([]Fields, 0, len(call.replies))
	for _, reply := range call.replies[:len(call.replies)-1] {
		lines = append(lines, reply.Fields)
	}
	return lines, nil
}

// Do sends one line, without its LF, as it stands, on a session of its own
// that ends with the reply. It returns all lines of the reply; when the last
// is ERR, also the [*Error].
func (c *Client) Do(ctx context.Context, line string) ([]Reply, error) {
	if strings.ContainsRune(line, '\n') {
		return nil, ErrBadRequest.WithText("more than one line")
	}
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.end(ErrClosed)
	call, err := conn.do(ctx, append([]byte(line), '\n'))
	if call == nil {
		return nil, fmt.Errorf("ask the daemon: %w", err)
	}
	return call.replies, err
}
