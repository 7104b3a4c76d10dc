package ipc

import (
	"bytes"
	"context"
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
// ends every session, this client's too. The result is nil if there was nothing to
// accept. The [*Error] of a refusal says what to do.
func (c *Client) AcceptRestore(ctx context.Context, raise bool, lowerFences int64) (*Restore, error) {
	request := Request{Verb: VerbAcceptRestore, Raise: raise, LowerFences: lowerFences}
	replies, err := c.Do(ctx, string(bytes.TrimSpace(request.Append(nil))))
	if err != nil {
		return nil, err
	}
	last := replies[len(replies)-1].Fields
	if last.Int("accepted") == 0 {
		return nil, nil
	}
	return &Restore{last.Int("revision"), last.Int("remembered")}, nil
}
