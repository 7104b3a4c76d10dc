package faults_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/ipc"
	"lockside/leases/boottime"
)

// now is the time on the clock that deadlines are on.
func now() time.Duration { return boottime.System{}.Now() }

// A client is one connection to a daemon. It reads only when told to, so what
// it has not read waits in its socket.
type client struct {
	t    testing.TB
	conn *net.UnixConn
	in   *bufio.Reader
}

// A grant is what a client was told of a lock that it got.
type grant struct {
	fence, lease int64
	key          string
}

func newClient(t testing.TB, conn *net.UnixConn) *client {
	return &client{t, conn, bufio.NewReaderSize(conn, ipc.MaxLine)}
}

// send writes a request.
func (c *client) send(line string) {
	c.t.Helper()
	if err := c.post(line); err != nil {
		c.t.Fatalf("send %s: %v", line, err)
	}
}

// post writes a request that the session's end may forestall.
func (c *client) post(line string) error {
	_, err := io.WriteString(c.conn, line+"\n")
	return err
}

// next reads one line; the error is io.EOF at the end of the session.
func (c *client) next() (ipc.Reply, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return ipc.Reply{}, err
	}
	line, err := ipc.ReadLine(c.in)
	if errors.Is(err, unix.ECONNRESET) {
		err = io.EOF // what the client sent was never read
	}
	if err != nil {
		return ipc.Reply{}, err
	}
	return ipc.ParseReply(line)
}

// reply reads the last line of a reply, and those before it.
func (c *client) reply() (last ipc.Reply, before []ipc.Reply, err error) {
	for {
		r, err := c.next()
		if err != nil || r.Kind != ipc.KindData {
			return r, before, err
		}
		before = append(before, r)
	}
}

// ask makes a request and reads the reply to it, which must come.
func (c *client) ask(request string) (last ipc.Reply, before []ipc.Reply) {
	c.t.Helper()
	c.send(request)
	last, before, err := c.reply()
	if err != nil || last.Kind == ipc.KindEvent {
		c.t.Fatalf("%s: %s %s, %v", request, last.Event, last.Fields.Get("reason"), err)
	}
	return last, before
}

// lock makes a request that must be granted.
func (c *client) lock(request string) grant {
	c.t.Helper()
	c.send(request)
	return c.granted()
}

// granted reads the reply to a LOCK, which must be a grant.
func (c *client) granted() grant {
	c.t.Helper()
	r, _, err := c.reply()
	if err != nil || r.Kind != ipc.KindOK {
		c.t.Fatalf("not granted: %s, %v", r.Append(nil), err)
	}
	return grantOf(r)
}

// grantOf is what a reply to LOCK tells.
func grantOf(r ipc.Reply) grant {
	return grant{r.Fields.Int("fence"), r.Fields.Hex("lease"), r.Fields.Get("key")}
}

// refused makes a request that must be answered with an error.
func (c *client) refused(request string, code ipc.Code) {
	c.t.Helper()
	if r, _ := c.ask(request); r.Code != code {
		c.t.Errorf("%s is answered %s, want %s", request, r.Append(nil), code)
	}
}

// check asks for the time left of a lock, which must be held.
func (c *client) check(name string, g grant) time.Duration {
	c.t.Helper()
	r, _ := c.ask("CHECK " + name)
	if r.Kind != ipc.KindOK || r.Fields.Int("fence") != g.fence {
		c.t.Fatalf("CHECK %s is answered %s, want fence %d", name, r.Append(nil), g.fence)
	}
	return r.Fields.Duration("left")
}

// unlock releases a name that is held.
func (c *client) unlock(name string) {
	c.t.Helper()
	if r, _ := c.ask("UNLOCK " + name); r.Kind != ipc.KindOK {
		c.t.Fatalf("UNLOCK %s is answered %s", name, r.Append(nil))
	}
}

// health asks how the daemon finds etcd.
func (c *client) health() string {
	c.t.Helper()
	_, lines := c.ask("STATUS")
	for _, line := range lines {
		if line.Fields.Get("about") == "store" {
			return line.Fields.Get("health")
		}
	}
	return ""
}

// lost waits until the session is over, after a line with one of the reasons,
// which it returns.
func (c *client) lost(reasons ...ipc.Reason) ipc.Reason {
	c.t.Helper()
	reason, err := c.end()
	if err != nil {
		c.t.Fatal(err)
	}
	if !slices.Contains(reasons, reason) {
		c.t.Errorf("lost by %q, want %v", reason, reasons)
	}
	return reason
}

// end reads to the end of the session, where nothing but the reason of a loss
// may come before it.
func (c *client) end() (reason ipc.Reason, err error) {
	r, err := c.next()
	if errors.Is(err, io.EOF) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read end-of-file: %w", err)
	}
	if r.Kind != ipc.KindEvent || r.Event != ipc.EventLost {
		return "", fmt.Errorf("read %q in place of end-of-file", r.Append(nil))
	}
	if _, err := c.next(); !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("after LOST end-of-file did not come, but %v", err)
	}
	return ipc.Reason(r.Fields.Get("reason")), nil
}

// over reports whether the daemon has shut the connection down, without reading.
func (c *client) over() bool {
	c.t.Helper()
	over := false
	raw, err := c.conn.SyscallConn()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		_, _ = unix.Poll(fds, 0)
		over = fds[0].Revents&(unix.POLLRDHUP|unix.POLLHUP) != 0
	}); err != nil {
		c.t.Fatal(err)
	}
	return over
}

// stillOpen holds that nothing comes for a while: no reply, no loss, no end.
func (c *client) stillOpen(d time.Duration) {
	c.t.Helper()
	if c.ends(d) {
		line, err := c.in.Peek(1)
		c.t.Fatalf("something came: %q, %v", line, err)
	}
}

// ends waits for a while and reports whether the session ended. No reply must
// be due.
func (c *client) ends(within time.Duration) bool {
	c.t.Helper()
	if err := c.conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		c.t.Fatal(err)
	}
	_, err := c.in.Peek(1)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// hangUp closes the connection.
func (c *client) hangUp() {
	c.t.Helper()
	if err := c.conn.Close(); err != nil {
		c.t.Error(err)
	}
}
