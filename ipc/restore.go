package ipc

import (
	"context"
	"fmt"
)

// A Restore is how far etcd has come after its revisions went back, as
// [Client.AcceptRestore] reports it.
type Restore struct {
	Revision   int64 // fences are greater from now on
	Remembered int64 // the highest revision that this host had seen before
}

// AcceptRestore has the daemon go on although etcd's revisions went back; see
// ACCEPT-RESTORE in PROTOCOL.md. Raise writes to etcd for some seconds, and
// lowerFences, unless it is 0, lets fences begin again below it. The daemon then
// ends every session, this client's too: whoever connects once AcceptRestore has
// returned is served. The result is nil if there was nothing to accept. The [*Error]
// of a refusal says what to do.
func (c *Client) AcceptRestore(ctx context.Context, raise bool, lowerFences int64) (*Restore, error) {
	request := Request{Verb: VerbAcceptRestore, Raise: raise, LowerFences: lowerFences}
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.end(ErrClosed)
	call, err := conn.do(ctx, request.Append(nil))
	switch {
	case call == nil:
		return nil, fmt.Errorf("ask the daemon: %w", err)
	case err != nil:
		return nil, err
	}
	last := call.last()
	if last.Int("accepted") == 0 {
		return nil, nil
	}
	select {
	case <-conn.ctx.Done():
	case <-ctx.Done():
	}
	return &Restore{last.Int("revision"), last.Int("remembered")}, nil
}
