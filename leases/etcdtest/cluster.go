package etcdtest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Cluster is a cluster of members in processes of their own.
type Cluster struct {
	Members []*Process
}

// StartCluster runs n members until the test ends.
func StartCluster(t testing.TB, n int, opts ...Option) *Cluster {
	t.Helper()
	return StartClusterAt(t, make([]Place, n), opts...)
}

// StartClusterAt runs a member at each place until the test ends.
func StartClusterAt(t testing.TB, places []Place, opts ...Option) *Cluster {
	t.Helper()
	dir, program := directory(t), program(t)
	c := &Cluster{}
	var all []string
	for i, place := range places {
		m := config{
			Name:  fmt.Sprintf("m%d", i),
			Dir:   dir,
			Data:  fmt.Sprintf("data%d", i),
			Peer:  fmt.Sprintf("unix://peer:%d", i), // a file of that name
			Token: "etcdtest",

			Program: program,
		}
		place.furnish(&m)
		for _, opt := range opts {
			opt(&m)
		}
		all = append(all, m.Name+"="+m.Peer)
		c.Members = append(c.Members, &Process{Endpoint: m.endpoint(), URL: m.Client, config: m, place: place})
	}
	for _, p := range c.Members {
		p.config.Cluster = strings.Join(all, ",")
		t.Cleanup(func() { p.Kill(t) })
	}
	c.start(t)
	return c
}

// start runs all members at once, since none is ready without a majority.
func (c *Cluster) start(t testing.TB) {
	t.Helper()
	errs := make([]error, len(c.Members))
	var wg sync.WaitGroup
	for i, p := range c.Members {
		wg.Go(func() { errs[i] = p.start() })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Endpoints are the client URLs of all members.
func (c *Cluster) Endpoints() []string {
	var all []string
	for _, p := range c.Members {
		all = append(all, p.Endpoint)
	}
	return all
}

// Client makes a plain etcd client of all members, which the test's end closes.
func (c *Cluster) Client(t testing.TB) *clientv3.Client {
	t.Helper()
	return newClient(t, c.Endpoints()...)
}

// Leader is the member that leads now, asking the members that answer.
func (c *Cluster) Leader(t testing.TB) *Process {
	t.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		for _, p := range c.Members {
			if p.cmd != nil && p.leads(t) {
				return p
			}
		}
		select {
		case <-again.C:
		case <-t.Context().Done():
			t.Fatal("no etcd member leads")
		}
	}
}
