package wire_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"lockside/fencing/lab/wire"
)

// serve answers every line with the server's name and that line, until the test
// ends.
func serve(t *testing.T, name string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wait.Go(func() {
				defer conn.Close()
				lines := bufio.NewScanner(conn)
				for lines.Scan() {
					fmt.Fprintf(conn, "%s: %s\n", name, lines.Text())
				}
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		wait.Wait()
	})
	return listener.Addr().String()
}

func newLink(t *testing.T, target string) *wire.Link {
	t.Helper()
	link, err := wire.New(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(link.Close)
	return link
}

// A client speaks over one connection.
type client struct {
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, link *wire.Link) *client {
	t.Helper()
	conn, err := net.Dial("tcp", link.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{conn, bufio.NewReader(conn)}
}

func (c *client) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (c *client) hear(t *testing.T, want string) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if line, err := c.in.ReadString('\n'); err != nil || line != want+"\n" {
		t.Fatalf("heard %q, %v, want %q", line, err, want)
	}
}

// quiet holds that nothing comes for a while, and that the connection is there.
func (c *client) quiet(t *testing.T) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if line, err := c.in.ReadString('\n'); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("heard %q, %v, want nothing", line, err)
	}
}

func TestWhatIsSentWhileALinkIsCutArrivesLater(t *testing.T) {
	link := newLink(t, serve(t, "one"))
	before := dial(t, link)
	before.say(t, "a")
	before.hear(t, "one: a")
	link.Cut()
	after := dial(t, link)
	before.say(t, "b")
	after.say(t, "c")
	before.quiet(t)
	after.quiet(t)
	link.Mend()
	before.hear(t, "one: b")
	after.hear(t, "one: c")
}

func TestWhatIsSentWhileALinkIsCutIsLostOnceItIsDropped(t *testing.T) {
	link := newLink(t, serve(t, "one"))
	c := dial(t, link)
	c.say(t, "a")
	c.hear(t, "one: a")
	link.Cut()
	c.say(t, "b")
	link.Drop()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if line, err := c.in.ReadString('\n'); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("heard %q, %v, want the end", line, err)
	}
	next := dial(t, link)
	next.say(t, "c")
	next.hear(t, "one: c")
}

func TestRetargetLeadsToAnotherServer(t *testing.T) {
	link := newLink(t, serve(t, "one"))
	c := dial(t, link)
	c.say(t, "a")
	c.hear(t, "one: a")
	link.Retarget(serve(t, "two"))
	next := dial(t, link)
	next.say(t, "b")
	next.hear(t, "two: b")
}
