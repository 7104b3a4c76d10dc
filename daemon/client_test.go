package daemon_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockside/ipc"
	"lockside/ipc/transcript"
)

// client is a session as its client sees it: bytes.
type client struct {
	*net.UnixConn
	t  testing.TB
	in *bufio.Reader
}

func newClient(t testing.TB, conn *net.UnixConn) *client {
	return &client{conn, t, bufio.NewReaderSize(conn, ipc.MaxLine)}
}

// send writes a line, or several in one write.
func (c *client) send(lines ...string) {
	c.t.Helper()
	c.write(strings.Join(lines, "\n") + "\n")
}

// write writes bytes as they stand.
func (c *client) write(text string) {
	c.t.Helper()
	if _, err := c.Write([]byte(text)); err != nil {
		c.t.Fatalf("send %.60q: %v", text, err)
	}
}

// line reads one line, or "<eof>".
func (c *client) line() string {
	c.t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		c.t.Fatal(err)
	}
	line, err := ipc.ReadLine(c.in)
	switch {
	case errors.Is(err, io.EOF):
		return "<eof>"
	case err != nil:
		c.t.Fatalf("read a line: %v", err)
	}
	return string(line)
}

// expect reads one line for each pattern, as transcripts have them.
func (c *client) expect(patterns ...string) (last string) {
	c.t.Helper()
	for _, pattern := range patterns {
		if last = c.line(); last != pattern && !transcript.Match(pattern, last) {
			c.t.Fatalf("got  %.200q\nwant %.200q", last, pattern)
		}
	}
	return last
}

// ask sends one line and reads what must come back.
func (c *client) ask(line string, patterns ...string) (last string) {
	c.t.Helper()
	c.send(line)
	return c.expect(patterns...)
}

// lock takes a name and returns its fence.
func (c *client) lock(name string) string {
	c.t.Helper()
	return fence(c.ask("LOCK "+name, "OK fence=<int> cluster=<hex> lease=<hex> ttl=15s until=<duration> key=lockside/"+name+"/<key>"))
}

// fence is the value of fence= in a line.
func fence(line string) string {
	_, after, _ := strings.Cut(line, " fence=")
	fence, _, _ := strings.Cut(after, " ")
	return fence
}

func number(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// quiet holds that nothing has come that was not read.
func (c *client) quiet() {
	c.t.Helper()
	if err := c.SetReadDeadline(time.Now()); err != nil {
		c.t.Fatal(err)
	}
	if b, err := c.in.Peek(1); !errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Fatalf("a quiet session got %q and %v", b, err)
	}
}

// shutdown ends the writing side alone.
func (c *client) shutdown() {
	c.t.Helper()
	if err := c.CloseWrite(); err != nil {
		c.t.Fatal(err)
	}
}
