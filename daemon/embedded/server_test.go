package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"

	"lockside/daemon/embedded"
)

// serveVariable makes the test binary run a member on the directory it holds.
const serveVariable = "EMBEDDED_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveVariable); dir != "" {
		serve(dir)
	}
	goleak.VerifyTestMain(m)
}

// serve is the child: it says its endpoint, and waits to be killed.
func serve(dir string) {
	s, err := embedded.Start(context.Background(), embedded.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Endpoint())
	<-s.Done()
	os.Exit(0)
}

// start runs a member until the test ends.
func start(t *testing.T, o embedded.Options) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// connect makes a client of one endpoint until the test ends.
func connect(t *testing.T, endpoint string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func put(t *testing.T, c *clientv3.Client, key, value string) {
	t.Helper()
	if _, err := c.Put(t.Context(), key, value); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, c *clientv3.Client, key string) string {
	t.Helper()
	r, err := c.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Kvs) != 1 {
		return ""
	}
	return string(r.Kvs[0].Value)
}

func TestDataOutliveTheMember(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "embedded")
	first, err := embedded.Start(t.Context(), embedded.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	put(t, connect(t, first.Endpoint()), "a", "kept")
	for range 2 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	<-first.Done()
	second := start(t, embedded.Options{Dir: dir})
	if got := get(t, connect(t, second.Endpoint()), "a"); got != "kept" {
		t.Errorf("got %q", got)
	}
}

func TestDataOutliveAKilledProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	endpoint, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, strings.TrimSpace(endpoint))
	put(t, c, "a", "kept")
	if _, err := embedded.Start(t.Context(), embedded.Options{Dir: dir}); !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("a second process: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	s := start(t, embedded.Options{Dir: dir})
	if got := get(t, connect(t, s.Endpoint()), "a"); got != "kept" {
		t.Errorf("got %q", got)
	}
}

// TestCloseCutsOffClients has a client that watches and keeps a lease alive.
func TestCloseCutsOffClients(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir()})
	c := connect(t, s.Endpoint())
	lease, err := c.Grant(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	alive, err := c.KeepAlive(t.Context(), lease.ID)
	if err != nil {
		t.Fatal(err)
	}
	<-alive
	created := c.Watch(t.Context(), "a", clientv3.WithCreatedNotify())
	<-created
	begun := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestOldRevisionsAreCompacted(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir(), History: time.Second})
	c := connect(t, s.Endpoint())
	put(t, c, "a", "1")
	first, err := c.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for range again.C {
		put(t, c, "a", "2")
		_, err := c.Get(t.Context(), "a", clientv3.WithRev(first.Header.Revision))
		if errors.Is(err, rpctypes.ErrCompacted) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	cause := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := embedded.Start(ctx, embedded.Options{Dir: dir}); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	start(t, embedded.Options{Dir: dir})
}
