package fencingtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// A Wire is the connection of a guard to a server, which can lose a reply. It
// listens on the loopback interface, and passes all that comes on to the server.
type Wire struct {
	server   string
	listener net.Listener
	wg       sync.WaitGroup // the accept loop, and two goroutines for each connection

	mu    sync.Mutex            // guards what follows
	loss  *loss                 // nil where no reply is to be lost
	conns map[net.Conn]struct{} // nil once closed
}

// A loss is of the reply to what begins with a text.
type loss struct {
	request []byte
	await   func()        // returns when the server has done it
	done    chan struct{} // closed once it was lost
}

// NewWire listens for a server at a TCP address, host:port, or at the path of a
// Unix socket, until Close.
func NewWire(server string) (*Wire, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", server, err)
	}
	w := &Wire{server: server, listener: listener, conns: map[net.Conn]struct{}{}}
	w.wg.Go(w.accept)
	return w, nil
}

// Address is where the guard connects to, host:port.
func (w *Wire) Address() string { return w.listener.Addr().String() }

// Lose does a call and loses the reply to the first thing that its client sends
// with a text in it: the server is given all of it, answers, and the connection
// ends instead of the answer. The text is that which makes the change, as COMMIT
// does, and lies in one packet. It returns the call's error.
func (w *Wire) Lose(ctx context.Context, text string, call func(ctx context.Context) error) error {
	return w.LoseWhen(ctx, text, func(context.Context) bool { return true }, call)
}

// LoseWhen is Lose for protocols in which a server says more than replies, as
// HTTP/2 has it. The connection ends when the server has done what it was asked, of
// which done is asked again and again.
func (w *Wire) LoseWhen(ctx context.Context, text string, done func(ctx context.Context) bool, call func(ctx context.Context) error) error {
	l := &loss{request: []byte(text), done: make(chan struct{}), await: func() {
		for !done(ctx) && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}}
	w.mu.Lock()
	w.loss = l
	w.mu.Unlock()
	err := call(ctx)
	select {
	case <-l.done:
		return err
	default:
		return errors.Join(err, fmt.Errorf("nothing with %q in it was sent, or it was not answered", text))
	}
}

// network is that of an address.
func network(address string) string {
	if strings.HasPrefix(address, "/") {
		return "unix"
	}
	return "tcp"
}

func (w *Wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		server, err := net.Dial(network(w.server), w.server)
		if err != nil {
			_ = client.Close() // as the server would have it
			continue
		}
		w.pass(client, server)
	}
}

// pass copies both ways until one side ends, or a reply is lost.
func (w *Wire) pass(client, server net.Conn) {
	if !w.adopt(client, server) {
		return
	}
	end := func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.conns, client)
		delete(w.conns, server)
		_, _ = client.Close(), server.Close() // a second time for one of the two
	}
	lost := make(chan *loss, 1)
	w.wg.Go(func() {
		defer end()
		copyAll(server, client, func(packet []byte) bool {
			if l := w.take(packet); l != nil {
				lost <- l
			}
			return true
		})
	})
	w.wg.Go(func() {
		defer end()
		copyAll(client, server, func([]byte) bool {
			select {
			case l := <-lost:
				l.await()
				close(l.done)
				return false
			default:
				return true
			}
		})
	})
}

// adopt keeps connections for Close, or closes them if that was called.
func (w *Wire) adopt(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range conns {
		if w.conns == nil {
			_ = conn.Close() // nobody has used it
			continue
		}
		w.conns[conn] = struct{}{}
	}
	return w.conns != nil
}

// take is the loss that a packet of a client is to have.
func (w *Wire) take(packet []byte) *loss {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.loss
	if l == nil || !bytes.Contains(packet, l.request) {
		return nil
	}
	w.loss = nil
	return l
}

// copyAll copies packets while a look at them says so.
func copyAll(to io.Writer, from io.Reader, look func(packet []byte) bool) {
	packet := make([]byte, 64<<10)
	for {
		n, err := from.Read(packet)
		if n > 0 {
			if !look(packet[:n]) {
				return
			}
			if _, err := to.Write(packet[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Close ends all connections and waits for them.
func (w *Wire) Close() error {
	err := w.listener.Close()
	w.mu.Lock()
	for conn := range w.conns {
		err = errors.Join(err, conn.Close())
	}
	w.conns = nil
	w.mu.Unlock()
	w.wg.Wait()
	return err
}
