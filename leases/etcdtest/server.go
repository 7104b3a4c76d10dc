package etcdtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// startWithin bounds how long a member may take to serve on a busy machine.
const startWithin = time.Minute

// Server is a one-member cluster in the test's process, unless it is of another
// release.
type Server struct {
	// Endpoint is the client URL, the same after Restart.
	Endpoint string

	config config
	member member
}

// A member is one that runs.
type member interface{ Close() }

// Start runs a member until the test ends.
func Start(t testing.TB, opts ...Option) *Server {
	t.Helper()
	dir := directory(t)
	c := config{
		Name:  "etcd",
		Dir:   dir,
		Data:  "data",
		Peer:  "unix://" + filepath.Join(dir, "peer"), // where it is not the working directory
		Token: "etcdtest",

		Program: program(t),
	}
	if c.Program != "" {
		c.Peer = "unix://peer:0"
	}
	c.Cluster = c.Name + "=" + c.Peer
	for _, opt := range opts {
		opt(&c)
	}
	s := &Server{Endpoint: c.endpoint(), config: c}
	s.Restart(t)
	t.Cleanup(s.Stop)
	return s
}

// Client makes a plain etcd client that the test's end closes.
func (s *Server) Client(t testing.TB) *clientv3.Client {
	t.Helper()
	return newClient(t, s.Endpoint)
}

// Stop ends the member and keeps its data. Stopping twice is harmless.
func (s *Server) Stop() {
	if s.member != nil {
		s.member.Close()
		s.member = nil
	}
}

// Restart runs the member again on its data.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Stop()
	var err error
	if s.config.Program == "" {
		s.member, err = startMember(s.config)
	} else {
		process := &Process{config: s.config}
		s.member, err = process, process.start()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Replace runs another cluster, without data, at the same endpoint.
func (s *Server) Replace(t testing.TB, opts ...Option) {
	t.Helper()
	s.Stop()
	s.config.Data += "'"
	for _, opt := range opts {
		opt(&s.config)
	}
	s.Restart(t)
}

// Backup copies the data of a stopped member, for Restore to put back.
func (s *Server) Backup(t testing.TB) (dir string) {
	t.Helper()
	if s.member != nil {
		t.Fatal("back up etcd: stop it first")
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(s.data())); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Restore runs the member on the data of a backup, as if what came after it had
// never been. The cluster's id stays the same.
func (s *Server) Restore(t testing.TB, backup string) {
	t.Helper()
	s.Stop()
	if err := os.RemoveAll(s.data()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(s.data(), os.DirFS(backup)); err != nil {
		t.Fatal(err)
	}
	s.Restart(t)
}

func (s *Server) data() string { return s.config.data() }

// startMember runs a member and waits until it serves.
func startMember(c config) (*embed.Etcd, error) {
	cfg, err := c.embed()
	if err != nil {
		return nil, fmt.Errorf("configure etcd: %w", err)
	}
	member, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-member.Server.ReadyNotify():
		return member, nil
	case <-member.Server.StopNotify():
		err = errors.New("start etcd: stopped by itself")
	case <-time.After(startWithin):
		err = fmt.Errorf("start etcd: not ready within %v", startWithin)
	}
	member.Close()
	return nil, err
}

// directory makes a short-named one, since a socket's path holds 107 bytes.
func directory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "etcd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func newClient(t testing.TB, endpoints ...string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}
