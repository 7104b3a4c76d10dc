package daemon

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"lockside/ipc"
)

// pieces reads a stream in pieces of some size.
type pieces struct {
	in   io.Reader
	size int
}

func (p pieces) Read(b []byte) (int, error) { return p.in.Read(b[:min(p.size, len(b))]) }

// FuzzLines: however a stream arrives, it is cut at each LF, up to the first
// line that is too long.
func FuzzLines(f *testing.F) {
	f.Add([]byte("PING\nLOCK a\n\nhalf"), 3)
	f.Add([]byte(strings.Repeat("x", ipc.MaxLine-1)+"\nPING\n"), 1000)
	f.Add([]byte("PING\n"+strings.Repeat("x", ipc.MaxLine)+"\nPING\n"), 4096)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		l := lines{in: pieces{bytes.NewReader(stream), max(1, size)}}
		rest := stream
		for {
			got, err := l.next()
			want, after, found := bytes.Cut(rest, []byte{'\n'})
			switch {
			case len(want) >= ipc.MaxLine:
				if !errors.Is(err, ipc.ErrTooLong) {
					t.Fatalf("a line of %d bytes and its LF: %v", len(want), err)
				}
				return
			case !found:
				if !errors.Is(err, io.EOF) {
					t.Fatalf("%q at the end: %q, %v", want, got, err)
				}
				return
			case err != nil || !bytes.Equal(got, want):
				t.Fatalf("got %q, %v, want %q", got, err, want)
			}
			if len(l.buf) > 2*ipc.MaxLine {
				t.Fatalf("the buffer has %d bytes", len(l.buf))
			}
			rest = after
		}
	})
}

// TestBacklog: what was put comes out in its order, and its memory is bounded.
func TestBacklog(t *testing.T) {
	var b backlog
	want := []string{"LOCK a", "", "PING"}
	for _, line := range want {
		b.put(message{line: []byte(line)})
	}
	b.put(message{end: halfClosed})
	for _, line := range want {
		if m, ok := b.take(); !ok || string(m.line) != line || m.end != open {
			t.Errorf("took %+v, want %q", m, line)
		}
	}
	if m, ok := b.take(); !ok || m.end != halfClosed {
		t.Errorf("took %+v, want the end", m)
	}
	if m, ok := b.take(); ok {
		t.Errorf("took %+v of nothing", m)
	}
	for !b.full() {
		b.put(message{})
	}
	if got := cap(b.text); got > 2*(ipc.MaxBehind+ipc.MaxLine) {
		t.Errorf("empty lines took %d bytes", got)
	}
}
