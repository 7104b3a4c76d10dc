package faults_test

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lockside/leases/etcdtest"
)

// A relay stands between daemons and a member. What comes through a gate that is
// shut waits there until it is opened, or is lost if the connections are cut.
type relay struct {
	// Endpoint is what daemons are told in place of the member's.
	Endpoint string

	requests, answers gate

	listener net.Listener
	target   string
	wait     sync.WaitGroup

	mu     sync.Mutex // guards what follows
	closed bool
	conns  map[net.Conn]bool // both ends
}

// newRelay carries until the test ends.
func newRelay(t testing.TB, m *etcdtest.Process) *relay {
	t.Helper()
	target := strings.TrimPrefix(m.Endpoint, "unix://")
	path := filepath.Join(filepath.Dir(target), "relay-"+filepath.Base(target))
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Endpoint: "unix://" + path, listener: listener, target: target, conns: map[net.Conn]bool{}}
	r.wait.Go(r.accept)
	t.Cleanup(r.close)
	return r
}

func (r *relay) accept() {
	for {
		near, err := r.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("unix", r.target)
		if err != nil || !r.keep(near, far) {
			near.Close()
			continue
		}
		r.wait.Go(func() { r.carry(far, near, &r.requests) })
		r.wait.Go(func() { r.carry(near, far, &r.answers) })
	}
}

// keep notes connections, unless the relay is closed.
func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		r.conns[c] = true
		if r.closed {
			c.Close()
		}
	}
	return !r.closed
}

// carry copies one way until either end is closed, and then closes both.
func (r *relay) carry(to, from net.Conn, g *gate) {
	_, _ = io.Copy(gated{to, g}, from)
	to.Close()
	from.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, to)
	delete(r.conns, from)
}

// cut ends all connections. What waits at a gate is lost.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		c.Close()
	}
}

func (r *relay) close() {
	r.listener.Close()
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cut()
	r.requests.open()
	r.answers.open()
	r.wait.Wait()
}

// A gate stops what goes one way. The zero gate is open.
type gate struct {
	mu   sync.Mutex    // guards what follows
	shut chan struct{} // closed when the gate is opened; nil while it is open
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut == nil {
		g.shut = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

// pass waits until the gate is open.
func (g *gate) pass() {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut != nil {
		<-shut
	}
}

// gated writes to a connection behind a gate.
type gated struct {
	net.Conn
	gate *gate
}

func (w gated) Write(data []byte) (int, error) {
	w.gate.pass()
	return w.Conn.Write(data)
}
