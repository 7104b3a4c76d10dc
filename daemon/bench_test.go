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
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/daemon"
	"lockside/daemon/config"
	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// benchDaemon runs a daemon on a cluster whose members are processes of their own.
func benchDaemon(b *testing.B, members int) (socket string, leader *etcdtest.Process) {
	b.Helper()
	cluster := etcdtest.StartCluster(b, members, etcdtest.WithFsync())
	dir, err := os.MkdirTemp("", "ls")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	socket = filepath.Join(dir, "s")
	flags := pflag.NewFlagSet("locksided", pflag.ContinueOnError)
	config.AddFlags(flags)
	if err := flags.Parse([]string{"--socket=" + socket, "--state-dir=" + filepath.Join(dir, "state"), "--endpoints=" + strings.Join(cluster.Endpoints(), ",")}); err != nil {
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
	return socket, cluster.Leader(b)
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

// BenchmarkLatency measures, turn by turn in one run, what a plain etcd client and
// a client of the daemon wait for, and reports medians and their ratios to a Put.
// The sum of the bare Txn and of PING is what bounds LOCK: a Txn as LOCK's, sent by
// the plain client, and a round trip to the daemon that does nothing.
func BenchmarkLatency(b *testing.B) {
	for _, members := range []int{1, 3} {
		b.Run(fmt.Sprintf("members=%d", members), func(b *testing.B) { benchLatency(b, members) })
	}
}

func benchLatency(b *testing.B, members int) {
	socket, leader := benchDaemon(b, members)
	conn, err := net.Dial("unix", socket)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, ipc.MaxLine)
	line(b, conn, in, "LOCK warm")

	took := map[string][]time.Duration{}
	timed := func(what string, do func()) {
		start := time.Now()
		do()
		took[what] = append(took[what], time.Since(start))
	}
	plain := newPlain(b, leader.Client(b))
	for b.Loop() {
		timed("put", plain.put)
		timed("txn", plain.lock)
		plain.unlock()
		timed("ping", func() { line(b, conn, in, "PING") })
		plain.put()
		timed("lock", func() { line(b, conn, in, "LOCK x wait=5s") })
		timed("unlock", func() { line(b, conn, in, "UNLOCK x") })
	}
	median := func(of []time.Duration) float64 {
		slices.Sort(of)
		return float64(of[len(of)/2].Nanoseconds())
	}
	put := median(took["put"])
	b.ReportMetric(put/1e3, "put-µs")
	for _, what := range []string{"ping", "txn", "lock", "unlock"} {
		b.ReportMetric(median(took[what])/put, what+"/put")
	}
	b.ReportMetric(0, "ns/op")
}

// plain is a plain etcd client that does bare what LOCK and UNLOCK have done.
type plain struct {
	b      *testing.B
	client *clientv3.Client
	take   []clientv3.Op
	guards []clientv3.Cmp
}

func newPlain(b *testing.B, client *clientv3.Client) *plain {
	b.Helper()
	const queue, key, epoch = "plain/x/", "plain/x/1", "plain/epoch"
	lease, err := client.Grant(b.Context(), 3600)
	if err != nil {
		b.Fatal(err)
	}
	fenced, err := client.Put(b.Context(), epoch, "")
	if err != nil {
		b.Fatal(err)
	}
	return &plain{
		b: b, client: client,
		guards: []clientv3.Cmp{
			clientv3.Compare(clientv3.ModRevision(epoch), "=", fenced.Header.Revision),
			clientv3.Compare(clientv3.CreateRevision(key), "=", 0),
		},
		take: []clientv3.Op{
			clientv3.OpPut(key, value, clientv3.WithLease(lease.ID)),
			clientv3.OpGet(queue, clientv3.WithPrefix(), clientv3.WithKeysOnly()),
		},
	}
}

// value is as long as what the daemon writes.
var value = strings.Repeat("v", 200)

func (p *plain) put() {
	if _, err := p.client.Put(p.b.Context(), "plain", value); err != nil {
		p.b.Fatal(err)
	}
}

func (p *plain) lock() {
	resp, err := p.client.Txn(p.b.Context()).If(p.guards...).Then(p.take...).Commit()
	if err != nil || !resp.Succeeded {
		p.b.Fatal(resp, err)
	}
}

func (p *plain) unlock() {
	if _, err := p.client.Delete(p.b.Context(), string(p.take[0].KeyBytes())); err != nil {
		p.b.Fatal(err)
	}
}

// BenchmarkQuietSession reports what a session that holds a lock costs in the
// daemon's heap and stacks once the collector has settled. It counts the test's
// own side of each connection too, which is less than a kilobyte.
func BenchmarkQuietSession(b *testing.B) {
	const sessions = 2000
	socket, _ := benchDaemon(b, 1)
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
