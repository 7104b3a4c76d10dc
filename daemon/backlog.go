package daemon

import (
	"bytes"
	"slices"

	"lockside/ipc"
)

// A backlog is what a client has sent behind a request that waits. It keeps
// bytes and not requests, since a request of two bytes would take hundreds.
type backlog struct {
	text    []byte // whole lines with their LF
	end     ending // what comes after them
	cancels int    // how many of the lines are CANCEL
}

// put adds a message. After one that is an end nothing comes but hungUp.
func (b *backlog) put(m message) {
	if m.end != open {
		b.end = m.end
		return
	}
	b.text = append(append(b.text, m.line...), '\n')
}

// take takes the oldest message out, if there is any.
func (b *backlog) take() (message, bool) {
	if len(b.text) == 0 {
		m := message{end: b.end}
		b.text, b.end = nil, open
		return m, m.end != open
	}
	line, rest, _ := bytes.Cut(b.text, []byte{'\n'})
	b.text = rest
	return message{line: line}, true
}

// putBack puts the line in front that was taken last.
func (b *backlog) putBack(line []byte) {
	b.text = slices.Concat(line, []byte{'\n'}, b.text)
}

// full reports whether nothing more may be put.
func (b *backlog) full() bool { return len(b.text) > ipc.MaxBehind }
