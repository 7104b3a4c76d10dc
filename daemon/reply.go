package daemon

import (
	"errors"
	"os"

	"lockside/ipc"
)

// flushAt is how many bytes of replies are gathered at most before they are
// written.
const flushAt = 16 << 10

// reply takes the output with a whole line more, and flushes it once enough
// has gathered.
func (n *session) reply(out []byte) {
	n.out = out
	if len(n.out) >= flushAt {
		n.flush()
	}
}

func (n *session) ok() { n.reply(ipc.AppendEnd(ipc.AppendOK(n.out))) }

func (n *session) refuse(err error) { n.reply(ipc.AppendErr(n.out, err)) }

func (n *session) counted(key string, count int64) {
	n.reply(ipc.AppendEnd(ipc.AppendInt(ipc.AppendOK(n.out), key, count)))
}

// flush writes the replies gathered so far. It waits as long as the client
// does not read, or until the server is being frozen: then what is left is kept.
func (n *session) flush() {
	if len(n.out) == 0 {
		return
	}
	done, err := n.conn.Write(n.out)
	n.flushed += int64(done)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		n.out = n.out[:copy(n.out, n.out[done:])]
		return
	}
	if err != nil {
		n.over = true
	}
	n.out = n.out[:0]
	if cap(n.out) > flushAt {
		n.out = nil
	}
}
