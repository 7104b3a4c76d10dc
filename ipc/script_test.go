package ipc_test

import (
	"bufio"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockside/ipc"
)

// patience is how long a test waits for what must happen. It is only ever
// used up by a failure.
const patience = 10 * time.Second

// A script answers one line of a session; false means that it leaves the line
// to the answer of a daemon at which every name is free.
type script func(s *session, line string) bool

// A server stands for the daemon in tests of the client, so that they decide
// what it says and when. It listens on a real Unix socket.
type server struct {
	t        *testing.T
	path     string
	script   script
	listener net.Listener
	wg       sync.WaitGroup
	accepted atomic.Int32
	lines    chan string // all that clients sent, HELLO excepted
	ended    chan *session
}

type session struct {
	server *server
	socket net.Conn
	fence  int64
}

func serve(t *testing.T, script script) *server {
	t.Helper()
	// A test's own directory may be too long a path for a socket.
	dir, err := os.MkdirTemp("", "ipc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &server{
		t: t, path: filepath.Join(dir, "sock"), script: script,
		lines: make(chan string, 10000), ended: make(chan *session, 1000),
	}
	if s.listener, err = net.Listen("unix", s.path); err != nil {
		t.Fatal(err)
	}
	s.wg.Go(s.accept)
	t.Cleanup(s.close)
	return s
}

// close stops listening; the clients have closed their ends.
func (s *server) close() {
	s.listener.Close()
	s.wg.Wait()
}

func (s *server) accept() {
	for {
		socket, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.accepted.Add(1)
		s.wg.Go((&session{server: s, socket: socket}).run)
	}
}

func (s *session) run() {
	defer func() {
		s.socket.Close()
		s.server.ended <- s
	}()
	in := bufio.NewReaderSize(s.socket, ipc.MaxLine)
	for {
		text, err := ipc.ReadLine(in)
		if err != nil {
			return
		}
		line := string(text)
		if !strings.HasPrefix(line, "HELLO") {
			s.server.lines <- line
		}
		if s.server.script == nil || !s.server.script(s, line) {
			s.answer(line)
		}
	}
}

// answer is what a daemon says whose locks are all free.
func (s *session) answer(line string) {
	var r ipc.Request
	if err := r.Parse([]byte(line)); err != nil {
		s.send(strings.TrimSuffix(string(ipc.AppendErr(nil, err)), "\n"))
		return
	}
	switch r.Verb {
	case ipc.VerbHello:
		s.send("OK lockside=1 host=web-3 session=1")
	case ipc.VerbLock:
		s.fence++
		g := &ipc.Grant{Fence: 8000 + s.fence, Lease: 0x694d99, TTL: 15 * time.Second, Names: r.Names}
		for _, name := range r.Names {
			g.Keys = append(g.Keys, "lockside/"+name+"/694d99-0")
		}
		s.send(strings.TrimSuffix(string(ipc.AppendGrant(nil, g)), "\n"))
	case ipc.VerbCheck:
		s.send("OK fence=8001 left=12s")
	case ipc.VerbUnlock:
		s.send("OK held=1.2s")
	default:
		s.send("OK")
	}
}

// send writes lines; a client that has gone does not mind.
func (s *session) send(lines ...string) {
	_, _ = s.socket.Write([]byte(strings.Join(lines, "\n") + "\n"))
}

// want waits for the next line that a client sends.
func (s *server) want(want string) {
	s.t.Helper()
	if got := receive(s.t, s.lines); got != want {
		s.t.Fatalf("the client sent %q, want %q", got, want)
	}
}

func receive[T any](t *testing.T, c <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-c:
	case <-time.After(patience):
		t.Fatal("nothing came in time")
	}
	return value
}

func (s *server) dial(opts ...ipc.DialOption) *ipc.Client {
	s.t.Helper()
	c, err := ipc.Dial(s.t.Context(), s.path, opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

func lock(t *testing.T, c *ipc.Client, names ...string) *ipc.Lock {
	t.Helper()
	l, err := c.LockAll(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// wantReason waits until a lock's context ends and looks at its cause.
func wantReason(t *testing.T, l *ipc.Lock, want ipc.Reason) {
	t.Helper()
	cause := wantCause(t, l, ipc.ErrLost)
	if lost, ok := errors.AsType[*ipc.LostError](cause); !ok || lost.Reason != want {
		t.Errorf("the cause is %v, want reason %s", cause, want)
	}
}

// A manual clock moves only when told to.
type manual struct{ now atomic.Int64 }

func (m *manual) Now() time.Duration      { return time.Duration(m.now.Load()) }
func (m *manual) Advance(d time.Duration) { m.now.Add(int64(d)) }
