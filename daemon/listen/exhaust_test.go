package listen_test

import (
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"lockside/daemon/listen"
)

// TestAcceptOutlastsAFullTable takes every descriptor away, lets a client
// connect, and gives them back once Accept has noticed.
func TestAcceptOutlastsAFullTable(t *testing.T) {
	noticed := &notice{seen: make(chan struct{})}
	path := socketPath(t)
	l, err := listen.Listen(listen.Options{Path: path, Mode: 0o600, Log: slog.New(slog.NewTextHandler(noticed, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client := dialThenFill(t, path)
	defer client.Close()
	accepted := make(chan error, 1)
	go func() {
		conn, err := l.Accept(t.Context())
		if err == nil {
			err = conn.Close()
		}
		accepted <- err
	}()
	<-noticed.seen
	restoreLimit(t)
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
	if text := noticed.String(); strings.Count(text, "cannot accept clients") != 1 {
		t.Errorf("want one line in the log, got %q", text)
	}
}

// dialThenFill connects and then forbids further descriptors.
func dialThenFill(t *testing.T, path string) net.Conn {
	t.Helper()
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	next, err := unix.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(next)
	setLimit(t, uint64(next))
	return client
}

func restoreLimit(t *testing.T) {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	setLimit(t, limit.Max)
}

// setLimit changes the soft limit of descriptors until the test ends.
func setLimit(t *testing.T, soft uint64) {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	before := limit
	t.Cleanup(func() { _ = unix.Setrlimit(unix.RLIMIT_NOFILE, &before) })
	limit.Cur = soft
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
}

// notice keeps a log and tells when it gets its first line.
type notice struct {
	seen chan struct{}
	once sync.Once

	mu   sync.Mutex
	text strings.Builder
}

func (n *notice) Write(line []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer n.once.Do(func() { close(n.seen) })
	return n.text.Write(line)
}

func (n *notice) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}
