package daemon

import (
	"bytes"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// pair is both ends of a connection.
func pair(t *testing.T) (server *conn, client *net.UnixConn) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s")})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.DialUnix("unix", nil, l.Addr().(*net.UnixAddr)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	accepted, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	if server, err = newConn(accepted); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server, client
}

// TestCutIsLast: whoever writes at the moment of a cut, nothing follows its line.
func TestCutIsLast(t *testing.T) {
	const last = "! LOST\n"
	for range 200 {
		server, client := pair(t)
		var writing sync.WaitGroup
		writing.Go(func() {
			for {
				if _, err := server.Write([]byte("OK\n")); err != nil {
					if !errors.Is(err, net.ErrClosed) {
						t.Errorf("write to a connection that was cut: %v", err)
					}
					return
				}
			}
		})
		if _, err := io.ReadFull(client, make([]byte, 3)); err != nil {
			t.Fatal(err)
		}
		writing.Go(func() { server.cut([]byte(last)) })
		rest, err := io.ReadAll(client)
		if err != nil {
			t.Fatal(err)
		}
		writing.Wait()
		if lines := strings.TrimSuffix(string(rest), last); strings.Trim(lines, "OK\n") != "" {
			t.Fatalf("the client read %q", rest)
		}
	}
}

// TestCutOfAFullSocket: a cut waits for nobody, ends a write that waits, and
// tears no reply with its line.
func TestCutOfAFullSocket(t *testing.T) {
	server, client := pair(t)
	reply := bytes.Repeat([]byte("x"), 4<<20) // more than a socket takes
	written := make(chan error)
	go func() {
		_, err := server.Write(reply)
		written <- err
	}()
	if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	server.cut([]byte("! LOST\n"))
	server.cut([]byte("! LOST\n"))
	if err := <-written; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the write ended with %v", err)
	}
	rest, err := io.ReadAll(client)
	if err != nil || strings.Trim(string(rest), "x") != "" {
		t.Errorf("the client read %d bytes that end with %q, and %v", len(rest), rest[max(0, len(rest)-20):], err)
	}
}

// TestCloseResetsNothing: a client whose requests were not read reads what was
// written to it, and end-of-file.
func TestCloseResetsNothing(t *testing.T) {
	server, client := pair(t)
	if _, err := client.Write(bytes.Repeat([]byte("x"), 20_000)); err != nil {
		t.Fatal(err)
	}
	server.cut([]byte("bye\n"))
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(client); err != nil || string(rest) != "bye\n" {
		t.Errorf("the client read %q and %v", rest, err)
	}
	if !server.hungUp() {
		t.Error("a closed connection is not taken for one that hung up")
	}
}

func TestHungUp(t *testing.T) {
	server, client := pair(t)
	if server.hungUp() {
		t.Error("a connection hung up from the start")
	}
	if err := client.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if server.hungUp() {
		t.Error("half a close is taken for a hang-up")
	}
	client.Close()
	if !server.hungUp() {
		t.Error("a hang-up is not noticed")
	}
}
