package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"lockside/fencing"
	"lockside/fencing/idempotency"
)

// serveIn has the test's program be a webhook with a directory instead of running
// the tests. Its listener is file 3.
const (
	serveIn = "IDEMPOTENCY_TEST_DIR"
	flawIn  = "IDEMPOTENCY_TEST_FLAW"
)

// The flaws of receivers.
const (
	forgets   = "forgets"   // its store is in memory
	unordered = "unordered" // it knows keys, and no order
)

// What the test's webhook is asked for and answers, beyond what it is for.
const (
	onceHeader    = "X-Once"
	failHeader    = "X-Fail"
	hangHeader    = "X-Hang"
	wordHeader    = "X-Word"
	highestHeader = "X-Highest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveIn); dir != "" {
		fmt.Fprintln(os.Stderr, serve(dir, os.Getenv(flawIn)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serve never returns but with what went wrong.
func serve(dir, flaw string) error {
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return err
	}
	store, err := idempotency.Files(filepath.Join(dir, "inbox"))
	if err != nil {
		return err
	}
	if flaw == forgets {
		store = idempotency.Memory()
	}
	hook := hook{&idempotency.Receiver{Store: store}, filepath.Join(dir, "value"), flaw}
	return http.Serve(listener, hook)
}

// A hook is a webhook whose effect is to set a value.
type hook struct {
	receiver *idempotency.Receiver
	path     string
	flaw     string
}

func (h hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h.serve(r)
	for word, sentinel := range sentinels() {
		if errors.Is(err, sentinel) {
			w.Header().Set(wordHeader, word)
		}
	}
	if stale, ok := errors.AsType[*fencing.StaleError](err); ok {
		w.Header().Set(highestHeader, stale.Highest.String())
	}
	w.WriteHeader(idempotency.Status(err))
}

func (h hook) serve(r *http.Request) error {
	k, err := idempotency.FromHeader(r.Header)
	if err != nil {
		return err
	}
	value, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	effect := func(context.Context) error {
		if r.Header.Get(failHeader) != "" {
			return errors.New("it fails as it was told to")
		}
		err := errors.Join(os.WriteFile(h.path+".new", value, 0o600), os.Rename(h.path+".new", h.path))
		if err == nil && r.Header.Get(hangHeader) != "" {
			select {} // until the process is killed
		}
		return err
	}
	if h.flaw == unordered {
		k.Scope, k.Token, k.Step = idempotency.Scope(k.String()), fencing.Token{Fence: 1}, min(k.Step, 1)
	}
	if r.Header.Get(onceHeader) != "" {
		return h.receiver.Guard(k.Scope).WriteOnce(r.Context(), k.Token, idempotency.Effect{Step: k.Step, Do: effect})
	}
	return h.receiver.Do(r.Context(), k, effect)
}

// sentinels are the errors of guards by the words that cross processes.
func sentinels() map[string]error {
	return map[string]error{
		"stale": fencing.ErrStale, "spent": fencing.ErrSpent, "cluster": fencing.ErrCluster, "token": fencing.ErrToken,
	}
}

// A process is a webhook of its own. Its listener is the test's, so that clients
// wait while it is started again.
type process struct {
	dir, flaw string
	listener  *os.File
	address   string
	cmd       *exec.Cmd
}

func startProcess(t *testing.T, flaw string) *process {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{dir: t.TempDir(), flaw: flaw, listener: file, address: listener.Addr().String()}
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.kill(); file.Close() })
	return p
}

func (p *process) start() error {
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), serveIn+"="+p.dir, flawIn+"="+p.flaw)
	p.cmd.Stderr = os.Stderr
	p.cmd.ExtraFiles = []*os.File{p.listener}
	return p.cmd.Start()
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be dead
	_ = p.cmd.Wait()         // which says that it was killed
}
