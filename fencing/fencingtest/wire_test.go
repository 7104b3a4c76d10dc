package fencingtest_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"testing"

	"lockside/fencing/fencingtest"
)

// echo is a server that answers each line with how many came, over all
// connections.
func echo(t *testing.T) (address string, lines func() int) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	count := make(chan int, 1)
	count <- 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			for in := bufio.NewScanner(conn); in.Scan(); {
				n := <-count + 1
				count <- n
				fmt.Fprintln(conn, n)
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() { listener.Close(); <-done })
	return listener.Addr().String(), func() int { n := <-count; count <- n; return n }
}

// ask sends a line on a new connection and reads the answer.
func ask(address, line string) (string, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	fmt.Fprintln(conn, line)
	return bufio.NewReader(conn).ReadString('\n')
}

func TestWireLosesOneReply(t *testing.T) {
	address, lines := echo(t)
	wire, err := fencingtest.NewWire(address)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := ask(wire.Address(), "COMMIT"); err != nil || answer != "1\n" {
		t.Fatalf("%q, %v", answer, err)
	}
	err = wire.Lose(t.Context(), "COMMIT", func(context.Context) error {
		if answer, err := ask(wire.Address(), "BEGIN"); err != nil || answer != "2\n" {
			t.Errorf("%q, %v", answer, err)
		}
		answer, err := ask(wire.Address(), "COMMIT")
		if err == nil {
			t.Errorf("the answer %q was not lost", answer)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if n := lines(); n != 3 {
		t.Errorf("the server has %d lines, want 3", n)
	}
	if answer, err := ask(wire.Address(), "COMMIT"); err != nil || answer != "4\n" {
		t.Fatalf("%q, %v", answer, err)
	}
	if err := wire.Lose(t.Context(), "ROLLBACK", func(context.Context) error { return nil }); err == nil {
		t.Error("a loss of nothing passes")
	}
	if err := wire.Close(); err != nil {
		t.Error(err)
	}
}
