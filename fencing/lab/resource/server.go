package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"lockside/daemon/faults/history"
)

// A Use is one read or write.
type Use struct {
	Client string        `json:"client"`
	Name   string        `json:"name"`
	Fence  int64         `json:"fence"`
	Write  bool          `json:"write,omitempty"`
	Value  int64         `json:"value,omitempty"` // to write
	Begin  time.Duration `json:"begin_ns"`        // on CLOCK_BOOTTIME, when the client began
}

// An Answer is what came of it.
type Answer struct {
	Value  int64 `json:"value"` // that was read
	Denied bool  `json:"denied,omitempty"`
}

// A register is the resource of one name.
type register struct{ fence, value int64 }

// A Server has all registers.
type Server struct {
	recorder *history.Recorder
	listener net.Listener
	wg       sync.WaitGroup // the accept loop, and a goroutine for each connection

	mu        sync.Mutex // guards what follows
	registers map[string]register
	conns     map[net.Conn]struct{} // nil once closed
}

// Serve listens at a path until Close.
func Serve(path string, recorder *history.Recorder) (*Server, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("serve what the locks guard: %w", err)
	}
	s := &Server{recorder: recorder, listener: listener, registers: map[string]register{}, conns: map[net.Conn]struct{}{}}
	s.wg.Go(s.accept)
	return s, nil
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		if s.adopt(conn) {
			s.wg.Go(func() { s.serve(conn) })
		}
	}
}

// adopt keeps a connection for Close, or closes it if that was called.
func (s *Server) adopt(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		_ = conn.Close() // nobody has used it
		return false
	}
	s.conns[conn] = struct{}{}
	return true
}

// serve answers until the client hangs up, or is killed.
func (s *Server) serve(conn net.Conn) {
	defer s.forget(conn)
	in, out := json.NewDecoder(conn), json.NewEncoder(conn)
	for {
		var use Use
		if err := in.Decode(&use); err != nil {
			return
		}
		if err := out.Encode(s.use(use)); err != nil {
			return
		}
	}
}

func (s *Server) forget(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
	_ = conn.Close() // the client has gone
}

// use does it, and records it before another use of the register can be.
func (s *Server) use(u Use) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.registers[u.Name]
	event := history.Event{
		Kind: history.Read, Client: u.Client, Names: []string{u.Name}, Fence: u.Fence, Begin: u.Begin,
		Value: r.value, Denied: u.Fence < r.fence,
	}
	if u.Write {
		event.Kind, event.Value = history.Wrote, u.Value
	}
	if !event.Denied {
		s.registers[u.Name] = register{u.Fence, event.Value}
	}
	s.recorder.Record(event)
	return Answer{Value: r.value, Denied: event.Denied}
}

// Close ends all connections and waits for what goes on.
func (s *Server) Close() error {
	err := s.listener.Close()
	s.mu.Lock()
	for conn := range s.conns {
		err = errors.Join(err, conn.Close())
	}
	s.conns = nil
	s.mu.Unlock()
	s.wg.Wait()
	return err
}
