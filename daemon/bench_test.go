package daemon_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"lockside/daemon"
	"lockside/daemon/config"
	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// benchDaemon runs a daemon on a member in a process of its own, as on a host.
func benchDaemon(b *testing.B) (socket string, member *etcdtest.Process) {
	b.Helper()
	member = etcdtest.StartCluster(b, 1, etcdtest.WithFsync()).Members[0]
	dir, err := os.MkdirTemp("", "ls")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	socket = filepath.Join(dir, "s")
	flags := pflag.NewFlagSet("locksided", pflag.ContinueOnError)
	config.AddFlags(flags)
	if err := flags.Parse([]string{"--socket=" + socket, "--state-dir=" + filepath.Join(dir, "state"), "--endpoints=" + member.Endpoint}); err != nil {
		b.Fatal(err)
	}
	cfg, err := config.Load(flags, config.Process{UID: os.Geteuid()})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- daemon.Run(ctx, daemon.Options{Config: cfg, Ready: func() { close(ready) }}) }()
	<-ready
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	return socket, member
}

// line sends one request and returns the last line of the reply.
func line(b *testing.B, conn net.Conn, in *bufio.Reader, request string) string {
	b.Helper()
	if _, err := fmt.Fprintln(conn, request); err != nil {
		b.Fatal(err)
	}
	reply, err := ipc.ReadLine(in)
	if err != nil || !strings.HasPrefix(string(reply), "OK") {
		b.Fatalf("%s: %s, %v", request, reply, err)
	}
	return string(reply)
}

// BenchmarkLatency measures, turn by turn in one run, a Put of a plain etcd
// client, a LOCK and an UNLOCK of one client, and reports their medians and the
// ratios to the Put.
func BenchmarkLatency(b *testing.B) {
	socket, member := benchDaemon(b)
	client := member.Client(b)
	conn, err := net.Dial("unix", socket)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, ipc.MaxLine)
	line(b, conn, in, "LOCK warm")

	var puts, locks, unlocks []time.Duration
	timed := func(to *[]time.Duration, do func()) {
		start := time.Now()
		do()
		*to = append(*to, time.Since(start))
	}
	value := strings.Repeat("v", 200)
	for b.Loop() {
		timed(&puts, func() {
			if _, err := client.Put(b.Context(), "plain", value); err != nil {
				b.Fatal(err)
			}
		})
		timed(&locks, func() { line(b, conn, in, "LOCK x wait=5s") })
		timed(&unlocks, func() { line(b, conn, in, "UNLOCK x") })
	}
	median := func(of []time.Duration) float64 {
		slices.Sort(of)
		return float64(of[len(of)/2].Nanoseconds())
	}
	put := median(puts)
	b.ReportMetric(put/1e3, "put-µs")
	b.ReportMetric(median(locks)/put, "lock/put")
	b.ReportMetric(median(unlocks)/put, "unlock/put")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkQuietSession reports what a session that holds a lock costs in the
// daemon's heap and stacks once the collector has settled. It counts the test's
// own side of each connection too, which is less than a kilobyte.
func BenchmarkQuietSession(b *testing.B) {
	const sessions = 2000
	socket, _ := benchDaemon(b)
	settled := func() (m runtime.MemStats) {
		for range 6 {
			runtime.GC() // each halves the stacks that have become too large
		}
		runtime.ReadMemStats(&m)
		return m
	}
	before := settled()
	conns := make([]net.Conn, sessions)
	in := bufio.NewReaderSize(nil, ipc.MaxLine)
	for i := range conns {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		conns[i] = conn
		in.Reset(conn)
		line(b, conn, in, fmt.Sprintf("LOCK n%d", i))
	}
	after := settled()
	for b.Loop() {
		in.Reset(conns[0])
		line(b, conns[0], in, "PING")
	}
	b.ReportMetric(float64(after.HeapInuse-before.HeapInuse)/sessions, "heap-B/session")
	b.ReportMetric(float64(after.StackInuse-before.StackInuse)/sessions, "stack-B/session")
}
