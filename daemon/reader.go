package daemon

import (
	"bytes"
	"errors"
	"os"
	"time"

	"lockside/ipc"
)

// A message is what the reader found: a line, or the end of the lines.
type message struct {
	line []byte // without its LF; nobody else has its memory
	end  ending
}

type ending uint8

const (
	open       ending = iota
	tooLong           // nobody knows where the next line begins
	halfClosed        // nothing comes any more, but the client may still read
	hungUp            // the client is gone
)

// hangUpEvery is how often a connection that is no longer read is looked at.
// The kernel tells nobody who neither reads nor writes when the peer closes.
const hangUpEvery = 100 * time.Millisecond

// reader cuts a connection into lines.
type reader struct {
	conn  *conn
	lines lines
	inbox chan<- message
	done  <-chan struct{} // closed when nobody takes messages any more
	left  []message       // that nobody took
}

// read sends messages until the client is gone, or the session is done or frozen,
// which ends the reading of its connection.
func (r *reader) read() {
	for {
		line, err := r.lines.next()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			r.ended(err)
			return
		}
		if !r.send(message{line: bytes.Clone(line)}) {
			return
		}
	}
}

func (r *reader) send(m message) bool {
	select {
	case r.inbox <- m:
		return true
	case <-r.done:
		r.left = append(r.left, m)
		return false
	}
}

// ended tells how the lines ended, and goes on to watch for a client that
// hangs up.
func (r *reader) ended(err error) {
	end := halfClosed
	if errors.Is(err, ipc.ErrTooLong) {
		end = tooLong
	}
	if !r.conn.hungUp() && !r.send(message{end: end}) {
		return
	}
	tick := time.NewTicker(hangUpEvery)
	defer tick.Stop()
	for !r.conn.hungUp() {
		select {
		case <-tick.C:
		case <-r.done:
			return
		}
	}
	r.send(message{end: hungUp})
}
