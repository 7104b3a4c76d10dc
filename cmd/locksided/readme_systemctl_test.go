package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// newSystemctl puts a program into bin that stands for systemctl(1): it has the test
// stop and start its etcd.
func newSystemctl(t testing.TB, bin string, e *etcd) {
	t.Helper()
	path := filepath.Join(bin, "systemctl.sock")
	socket, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			e.obey(conn)
		}
	})
	t.Cleanup(func() {
		socket.Close()
		serving.Wait()
	})
	program := fmt.Sprintf("#!/bin/sh\necho \"$*\" | socat -t 60 - UNIX-CONNECT:%s\n", path)
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
}

// obey does what one systemctl asks for, and writes nothing unless it fails, as
// systemctl does.
func (e *etcd) obey(conn net.Conn) {
	defer conn.Close()
	line, _ := bufio.NewReader(conn).ReadString('\n')
	switch strings.TrimSpace(line) {
	case "stop etcd":
		e.stop()
	case "start etcd":
		if err := e.start(); err != nil {
			fmt.Fprintln(conn, err)
		}
	default:
		fmt.Fprintf(conn, "systemctl stands in for etcd alone, not for %q\n", line)
	}
}
