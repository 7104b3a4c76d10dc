// Package wire has connections that can stand still, as a network does that is
// cut: nothing arrives, nothing is closed, and nobody is told.
package wire

import (
	"fmt"
	"io"
	"net"
	"sync"
)

// A Link carries TCP connections to a server, for one client. While it is cut,
// what either end sends waits; once it is mended, all of it arrives, as the
// kernel sends anew what was not acknowledged.
type Link struct {
	Address string // that the client is given for the server's

	listener net.Listener
	wait     sync.WaitGroup

	mu     sync.Mutex // guards what follows
	target string
	closed bool
	cut    chan struct{} // closed when it is mended; nil while it carries
	conns  map[net.Conn]bool
}

// New makes a link on a port of the loopback interface.
func New(target string) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("make a link: %w", err)
	}
	l := &Link{Address: listener.Addr().String(), listener: listener, target: target, conns: map[net.Conn]bool{}}
	l.wait.Go(l.accept)
	return l, nil
}

// Cut has everything stand still.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut == nil && !l.closed {
		l.cut = make(chan struct{})
	}
}

// Mend lets everything go on.
func (l *Link) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut != nil {
		close(l.cut)
		l.cut = nil
	}
}

// Drop ends all connections, and what waits in them is lost; then everything goes
// on.
func (l *Link) Drop() {
	l.mu.Lock()
	l.hangUpLocked()
	l.mu.Unlock()
	l.Mend()
}

// Retarget ends all connections, and has those that come lead to another server.
func (l *Link) Retarget(target string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.target = target
	l.hangUpLocked()
}

// Close ends all connections and waits for what carries them.
func (l *Link) Close() {
	l.listener.Close()
	l.mu.Lock()
	l.closed = true
	l.hangUpLocked()
	l.mu.Unlock()
	l.Mend()
	l.wait.Wait()
}

func (l *Link) hangUpLocked() {
	for c := range l.conns {
		c.Close()
	}
}

func (l *Link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.wait.Go(func() { l.connect(near) })
	}
}

// connect waits with a connection that comes while the link is cut: the client
// sees it as one whose first answer is late.
func (l *Link) connect(near net.Conn) {
	defer near.Close()
	if !l.keep(near) {
		return
	}
	defer l.forget(near)
	l.standStill()
	l.mu.Lock()
	target := l.target
	l.mu.Unlock()
	far, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer far.Close()
	if !l.keep(far) {
		return
	}
	defer l.forget(far)
	var back sync.WaitGroup
	back.Go(func() { l.carry(near, far) })
	l.carry(far, near)
	back.Wait()
}

func (l *Link) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = true
	return !l.closed
}

func (l *Link) forget(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

// carry copies one way until either end is closed, and then closes both.
func (l *Link) carry(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	_, _ = io.Copy(to, stalled{from, l})
	l.standStill() // that an end is closed is not seen either
}

// standStill returns when the link is not cut.
func (l *Link) standStill() {
	for {
		l.mu.Lock()
		cut := l.cut
		l.mu.Unlock()
		if cut == nil {
			return
		}
		<-cut
	}
}

// stalled hands on what it reads as soon as the link is not cut.
type stalled struct {
	from io.Reader
	link *Link
}

func (s stalled) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.link.standStill()
	return n, err
}
