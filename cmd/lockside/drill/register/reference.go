package register

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"lockside/fencing"
)

// reference is a register at a [Server].
type reference struct{ path string }

// A request of the server, and its reply. Each has a connection of its own.
type (
	request struct {
		Do    string
		Token string `json:",omitempty"`
		Value string `json:",omitempty"`
	}
	reply struct {
		Value   string        `json:",omitempty"`
		Refused bool          `json:",omitempty"`
		Highest fencing.Token `json:",omitzero"`
	}
)

func (r *reference) call(ctx context.Context, do string, t fencing.Token, value string) (string, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", r.path)
	if err != nil {
		return "", fmt.Errorf("connect to the register: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	sent := request{Do: do, Value: value}
	if !t.IsZero() {
		sent.Token = t.String()
	}
	if err := json.NewEncoder(conn).Encode(sent); err != nil {
		return "", fmt.Errorf("ask the register: %w", err)
	}
	var got reply
	if err := json.NewDecoder(bufio.NewReader(conn)).Decode(&got); err != nil {
		return "", fmt.Errorf("hear from the register: %w", errors.Join(err, context.Cause(ctx)))
	}
	if got.Refused {
		return "", refusal(t, got.Highest)
	}
	return got.Value, nil
}

func (r *reference) Make(ctx context.Context, value string) error {
	return r.Write(ctx, fencing.Token{}, value)
}

func (r *reference) Remove(context.Context, fencing.Token) error { return nil } // it ends with its server

func (r *reference) Claim(ctx context.Context, t fencing.Token) error {
	_, err := r.call(ctx, "claim", t, "")
	return err
}

func (r *reference) Read(ctx context.Context) (string, error) {
	return r.call(ctx, "read", fencing.Token{}, "")
}

func (r *reference) Write(ctx context.Context, t fencing.Token, value string) error {
	_, err := r.call(ctx, "write", t, value)
	return err
}

func (r *reference) Place() string { return "a register of the drill's own" }

func (r *reference) Recipe() string {
	return "It keeps the greatest token that it has seen beside its text, as fencing.Watermark does:\n" +
		"a claim raises it, a write with a lower one is refused.\n"
}

// A Server keeps one text and the greatest token that it has seen, in memory.
type Server struct {
	listener net.Listener
	wg       sync.WaitGroup

	mu    sync.Mutex // guards what follows: check and write are one step
	value string
	seen  fencing.Watermark
}

// Serve serves at a path, with the rights of this user alone.
func Serve(path string) (*Server, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("serve the register: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s := &Server{listener: listener}
	s.wg.Go(s.accept)
	return s, nil
}

// URL is for the [Spec] of the text.
func (s *Server) URL() string { return "unix://" + s.listener.Addr().String() }

// Close waits for those who are being answered.
func (s *Server) Close() error {
	err := s.listener.Close()
	s.wg.Wait()
	return err
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.wg.Go(func() {
			defer conn.Close()
			var asked request
			if json.NewDecoder(conn).Decode(&asked) == nil {
				_ = json.NewEncoder(conn).Encode(s.answer(asked))
			}
		})
	}
}

func (s *Server) answer(asked request) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if asked.Token != "" {
		t, err := fencing.Parse(asked.Token)
		if err == nil {
			s.seen, err = s.seen.Admit(t)
		}
		if err != nil {
			return reply{Refused: true, Highest: s.seen.Highest}
		}
	}
	if asked.Do == "write" {
		s.value = asked.Value
	}
	return reply{Value: s.value}
}
