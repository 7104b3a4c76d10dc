package transcript

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

const (
	// patience is how long a line that must come may take.
	patience = 20 * time.Second

	// again is how soon a question is asked once more whose answer is not
	// yet what the transcript shows.
	again = 20 * time.Millisecond

	// tooLong is the length of a long line: more than any may have.
	tooLong = 16 << 10
)

// Run replays a transcript: it sends what the client sends and compares what
// it reads with the patterns. dial opens a connection, and ends the test
// itself if it cannot. Run closes what it has opened.
//
// The steps are taken in their order. Connections act at the same time,
// though, so a question about what another one brought about may come too
// early: WHO, LIST, STATUS, CHECK and PING are asked again for a while until
// the answer matches.
func Run(t testing.TB, dial func() net.Conn, transcript Transcript) {
	t.Helper()
	r := &runner{t: t, dial: dial, conns: make(map[string]*conn)}
	defer r.close()
	steps := transcript.Steps
	for len(steps) > 0 {
		n := 1
		if !steps[0].FromPeer {
			n += replies(steps)
		}
		r.exchange(steps[:n])
		steps = steps[n:]
	}
}

// replies counts the steps after the first that are its reply, if it asks a
// question that may be asked again.
func replies(steps []Step) int {
	verb, _, _ := strings.Cut(steps[0].Text, " ")
	switch strings.ToUpper(verb) {
	case "WHO", "LIST", "STATUS", "CHECK", "PING":
	default:
		return 0
	}
	for i, step := range steps[1:] {
		if !step.FromPeer || step.Conn != steps[0].Conn {
			return 0
		}
		if !strings.HasPrefix(step.Text, "+") {
			return i + 1
		}
	}
	return 0
}

type runner struct {
	t     testing.TB
	dial  func() net.Conn
	conns map[string]*conn
	fence string // read last, on any connection
}

type conn struct {
	net.Conn
	in *bufio.Reader
}

func (r *runner) close() {
	for _, c := range r.conns {
		c.Close()
	}
}

// conn is the connection of a step, opened when it is first spoken of.
func (r *runner) conn(name string) *conn {
	c := r.conns[name]
	if c == nil {
		socket := r.dial()
		c = &conn{Conn: socket, in: bufio.NewReader(socket)}
		r.conns[name] = c
	}
	return c
}

// exchange takes one step, or a question with all lines of its reply.
func (r *runner) exchange(steps []Step) {
	r.t.Helper()
	if steps[0].FromPeer {
		r.expect(steps[0], r.read(steps[0]))
		return
	}
	end := time.Now().Add(patience)
	for {
		r.send(steps[0])
		if len(steps) == 1 {
			return
		}
		lines := r.readReply(steps[1])
		last := time.Now().After(end)
		if last || r.matches(steps[1:], lines) {
			r.expectAll(steps[1:], lines)
			return
		}
		time.Sleep(again)
	}
}

// send does what a step of the client's says.
func (r *runner) send(step Step) {
	r.t.Helper()
	c := r.conn(step.Conn)
	var err error
	switch step.Text {
	case endOfFile:
		err = c.Close()
	case shutdown:
		half, ok := c.Conn.(interface{ CloseWrite() error })
		if !ok {
			r.t.Fatalf("line %d: a %T has no writing side", step.Line, c.Conn)
		}
		err = half.CloseWrite()
	case longLine:
		_, err = c.Write([]byte(strings.Repeat("x", tooLong) + "\n"))
	default:
		_, err = c.Write([]byte(strings.ReplaceAll(step.Text, fencePlaceholder, r.fence) + "\n"))
	}
	if err != nil {
		r.t.Fatalf("line %d: send %q: %v", step.Line, step.Text, err)
	}
}

// read reads the line that a step describes; end-of-file is "<eof>".
func (r *runner) read(step Step) string {
	r.t.Helper()
	c := r.conn(step.Conn)
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		r.t.Fatalf("line %d: %v", step.Line, err)
	}
	line, err := c.in.ReadString('\n')
	switch {
	case err == nil:
		return strings.TrimSuffix(line, "\n")
	case errors.Is(err, io.EOF) && line == "":
		return endOfFile
	}
	r.t.Fatalf("line %d: read %q: got %q and %v", step.Line, step.Text, line, err)
	return ""
}

// readReply reads all lines of a reply.
func (r *runner) readReply(step Step) []string {
	r.t.Helper()
	for lines := []string(nil); ; {
		line := r.read(step)
		lines = append(lines, line)
		if !strings.HasPrefix(line, "+") {
			return lines
		}
	}
}

func (r *runner) matches(steps []Step, lines []string) bool {
	for i, step := range steps {
		if i >= len(lines) {
			return false
		}
		if !Match(step.Text, lines[i]) {
			return false
		}
	}
	return len(steps) == len(lines)
}

func (r *runner) expectAll(steps []Step, lines []string) {
	r.t.Helper()
	if len(steps) != len(lines) {
		r.t.Fatalf("line %d: the reply has %d lines, want %d: %q", steps[0].Line, len(lines), len(steps), lines)
	}
	for i, step := range steps {
		r.expect(step, lines[i])
	}
}

// expect compares a line with what a step describes, and keeps its fence.
func (r *runner) expect(step Step, line string) {
	r.t.Helper()
	if step.Text != line && !Match(step.Text, line) {
		r.t.Fatalf("line %d:\n got %q\nwant %q", step.Line, line, step.Text)
	}
	for word := range strings.FieldsSeq(line) {
		if fence, ok := strings.CutPrefix(word, "fence="); ok {
			r.fence = fence
		}
	}
}
