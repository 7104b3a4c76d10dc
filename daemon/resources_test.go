package daemon_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"
)

// usage is what a daemon and its etcd have under way.
type usage struct {
	goroutines, descriptors, leases int
}

func (h *host) usage() usage {
	h.t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		h.t.Fatal(err)
	}
	leases, err := h.etcd.Leases(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return usage{goroutines: runtime.NumGoroutine(), descriptors: len(files), leases: len(leases.Leases)}
}

// TestPromise05CyclesLeaveNothing: after 10,000 cycles of connect, LOCK, UNLOCK
// and close there are no more goroutines, descriptors and leases than before, but
// for the few streams to etcd that stay open.
func TestPromise05CyclesLeaveNothing(t *testing.T) {
	const cycles, clients = 10_000, 16
	const streams, sockets = 50, 2 // goroutines and descriptors that serve them, in etcd too
	h, bystander := beside(t)
	cycle := func(name string) {
		c := h.dial()
		c.ask("LOCK "+name, "OK fence=<int> cluster=<hex> lease=<hex> ttl=15s until=<duration> key=<word>")
		c.ask("UNLOCK "+name, "OK held=<duration>")
		c.Close()
	}
	cycle("first")
	bystander.alone()
	before := h.usage()
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			for j := range cycles / clients {
				cycle(fmt.Sprintf("%d-%d", i, j%10))
			}
		})
	}
	running.Wait()
	bystander.alone()
	var after usage
	await(t, func() bool {
		after = h.usage()
		return after.goroutines <= before.goroutines+streams && after.descriptors <= before.descriptors+sockets && after.leases <= before.leases
	}, fmt.Sprintf("hardly more than %+v", before), func() any { return fmt.Sprintf("%+v", after) })
}

// TestPromise05HangUps: 1,000 clients that hang up at a random moment of LOCK
// leave no entry and no session.
func TestPromise05HangUps(t *testing.T) {
	h, bystander := beside(t)
	var running sync.WaitGroup
	for range 10 {
		running.Go(func() {
			for range 100 {
				c := h.dial()
				c.send(fmt.Sprintf("LOCK %d", rand.IntN(5)))
				time.Sleep(rand.N(3 * time.Millisecond)) // the moment at which it is killed
				c.Close()
			}
		})
	}
	running.Wait()
	bystander.alone()
}

// TestPromise05Kills: processes killed with -9 amid LOCKs of ten sessions each
// leave no entry and no session.
func TestPromise05Kills(t *testing.T) {
	h, bystander := beside(t)
	for range 50 {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), mobVariable+"="+h.socket)
		stdout, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stdout, make([]byte, 1)); err != nil {
			t.Fatalf("wait for a mob: %v", err)
		}
		time.Sleep(rand.N(5 * time.Millisecond)) // the moment at which it is killed
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // killed is what it says
	}
	bystander.alone()
}

// mobVariable holds the socket of the daemon that a child process is to mob.
const mobVariable = "LOCKSIDE_TEST_MOB"

// mob takes and releases locks by ten sessions at a time until it is killed,
// and says once that it does.
func mob(socket string) {
	var once sync.Once
	for i := range 10 {
		go func() {
			for {
				conn, err := net.Dial("unix", socket)
				if err != nil {
					os.Exit(1)
				}
				in := bufio.NewReader(conn)
				_, _ = fmt.Fprintf(conn, "LOCK %d\n", i%3)
				once.Do(func() { fmt.Println("!") })
				_, _ = in.ReadString('\n')
				_, _ = fmt.Fprintf(conn, "UNLOCK %d\n", i%3)
				_ = conn.Close()
			}
		}()
	}
	select {}
}
