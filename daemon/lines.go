package daemon

import (
	"bytes"
	"io"

	"lockside/ipc"
)

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
