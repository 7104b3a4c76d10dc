package listen_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"lockside/daemon/listen"
)

// serveVariable makes the test binary serve the path it holds.
const serveVariable = "LISTEN_TEST_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(serveVariable); path != "" {
		serve(path)
	}
	os.Exit(m.Run())
}

// serve is the child: it says whether it listens, and then waits for the end
// of its standard input.
func serve(path string) {
	l, err := listen.Listen(listen.Options{Path: path, Mode: 0o600})
	switch {
	case errors.Is(err, listen.ErrInUse):
		fmt.Println("in use")
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println("serves")
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = l.Close()
	}
	os.Exit(0)
}

// child is a process that tries to serve a path.
type child struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

// start starts a child, which is killed by the end of the test.
func start(t *testing.T, path string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"="+path)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd, bufio.NewReader(out)}
	t.Cleanup(c.kill)
	return c
}

// said waits for what the child says.
func (c *child) said(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// leaveStale leaves the socket of a killed process at path.
func leaveStale(t *testing.T, path string) {
	t.Helper()
	c := start(t, path)
	if said := c.said(t); said != "serves" {
		t.Fatal(said)
	}
	c.kill()
	if _, err := net.Dial("unix", path); !errors.Is(err, unix.ECONNREFUSED) {
		t.Fatalf("want a stale socket, got %v", err)
	}
}

func TestAStaleSocketIsReplaced(t *testing.T) {
	path := socketPath(t)
	leaveStale(t, path)
	listenAt(t, path)
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// TestOneOfManyServes starts daemons at the same time over a stale socket.
func TestOneOfManyServes(t *testing.T) {
	for range 3 {
		path := socketPath(t)
		leaveStale(t, path)
		var children []*child
		for range 8 {
			children = append(children, start(t, path))
		}
		said := make(map[string]int)
		for _, c := range children {
			said[c.said(t)]++
		}
		if said["serves"] != 1 || said["in use"] != 7 {
			t.Errorf("want one of 8 to serve, got %v", said)
		}
	}
}

func TestAcceptEndsWithItsContext(t *testing.T) {
	l := listenAt(t, socketPath(t))
	cause := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := l.Accept(ctx)
		done <- err
	}()
	cancel(cause)
	if err := <-done; err != cause {
		t.Errorf("got %v", err)
	}
}

// TestAcceptGoesOnAfterItsContext: clients that came in between are served then.
func TestAcceptGoesOnAfterItsContext(t *testing.T) {
	path := socketPath(t)
	l := listenAt(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Accept(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := l.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

func TestAcceptEndsWithTheListener(t *testing.T) {
	l := listenAt(t, socketPath(t))
	done := make(chan error, 1)
	go func() {
		_, err := l.Accept(t.Context())
		done <- err
	}()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
