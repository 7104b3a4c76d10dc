package daemon

import (
	"bytes"
	"errors"
	"io"
	"time"

	"lockside/ipc"
)

// A message is what the reader found: a request, a line that is none, or the
// end of what the client sends.
type message struct {
	request ipc.Request
	err     error // of a line that is no request
	size    int   // bytes of the line
	end     ending
}

type ending uint8

const (
	open       ending = iota
	halfClosed        // nothing comes any more, but the client may still read
	hungUp            // the client is gone
)

// hangUpEvery is how often a half-closed connection is looked at. The kernel
// tells nobody who is not writing when the other half closes too.
const hangUpEvery = 100 * time.Millisecond

// reader cuts a connection into lines and parses them.
type reader struct {
	conn  *conn
	lines lines
	inbox chan<- message
	done  <-chan struct{} // closed when nobody takes messages any more
}

// read sends messages until the connection ends or the session is done.
func (r *reader) read() {
	r.lines.in = r.conn
	for {
		line, err := r.lines.next()
		m := message{size: len(line) + 1}
		switch {
		case err == nil:
			m.err = m.request.Parse(line)
		case errors.Is(err, ipc.ErrTooLong):
			m.err = err
		default:
			r.ended()
			return
		}
		if !r.send(m) || errors.Is(m.err, ipc.ErrTooLong) {
			return
		}
	}
}

func (r *reader) send(m message) bool {
	select {
	case r.inbox <- m:
		return true
	case <-r.done:
		return false
	}
}

// ended tells how the connection ended, and after a half-close goes on to
// watch for the other half.
func (r *reader) ended() {
	if !r.conn.hungUp() {
		if !r.send(message{end: halfClosed}) {
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
	}
	r.send(message{end: hungUp})
}

// firstBuffer is what a quiet session keeps for its lines.
const firstBuffer = 256

// lines cuts a stream at LF. Its buffer grows to the longest line that came,
// so that thousands of quiet sessions cost little.
type lines struct {
	in         io.Reader
	buf        []byte
	start, end int
}

// next is the next line without its LF, valid until the call after. It returns
// ipc.ErrTooLong, or the error of the stream; what came after the last LF is
// dropped.
func (l *lines) next() ([]byte, error) {
	scanned := l.start
	for {
		if i := bytes.IndexByte(l.buf[scanned:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : scanned+i]
			l.start = scanned + i + 1
			if len(line)+1 > ipc.MaxLine {
				return nil, ipc.ErrTooLong
			}
			return line, nil
		}
		if l.end-l.start >= ipc.MaxLine {
			return nil, ipc.ErrTooLong
		}
		l.makeRoom()
		scanned = l.end
		n, err := l.in.Read(l.buf[l.end:])
		l.end += n
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

// makeRoom moves what is left to the front, and doubles a full buffer.
func (l *lines) makeRoom() {
	if l.start > 0 {
		l.end = copy(l.buf, l.buf[l.start:l.end])
		l.start = 0
	}
	if l.end == len(l.buf) {
		grown := make([]byte, max(firstBuffer, 2*len(l.buf)))
		copy(grown, l.buf[:l.end])
		l.buf = grown
	}
}
