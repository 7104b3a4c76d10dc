package httpguard_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/httpguard"
)

// A process is a server of its own. Its listener is the test's, so that clients
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

// value is the resource's, read past the server.
func (p *process) value(context.Context) (string, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, "value"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// resource is a new one on a server, for the suite.
func resource(t *testing.T, flaw string) *fencingtest.Resource[*http.Request] {
	p := startProcess(t, flaw)
	wire, err := fencingtest.NewWire(p.address)
	if err != nil {
		t.Fatal(err)
	}
	connections := &http.Transport{}
	t.Cleanup(func() { connections.CloseIdleConnections(); wire.Close() })
	url := "http://" + wire.Address() + "/values/kept"
	guard := &httpguard.Client{URL: url, HTTP: &http.Client{Transport: connections}}
	var tokens fencingtest.Tokens
	return &fencingtest.Resource[*http.Request]{
		Grant: func(context.Context) (fencingtest.Holder[*http.Request], error) {
			return fencingtest.Holder[*http.Request]{Guard: guard, Token: tokens.Next()}, nil
		},
		Set: func(value string) *http.Request { return put(url, value) },
		Fail: func(value string) *http.Request {
			r := put(url, value)
			r.Header.Set("X-Fail", "yes")
			return r
		},
		Value: p.value,
		Restart: func(context.Context) error {
			p.kill()
			connections.CloseIdleConnections()
			return p.start()
		},
		LoseReply: func(ctx context.Context, call func(context.Context) error) error {
			return wire.Lose(ctx, "PUT /values", call)
		},
		Unknown: unknown{&httpguard.Client{URL: url + "-not", HTTP: guard.HTTP}},
	}
}

// unknown sends writes, too, to where nothing is.
type unknown struct{ *httpguard.Client }

func (u unknown) Write(ctx context.Context, t fencing.Token, r *http.Request) error {
	return u.Client.Write(ctx, t, put(u.URL, "unknown"))
}

func put(url, value string) *http.Request {
	r, err := http.NewRequest(http.MethodPut, url, strings.NewReader(value))
	if err != nil {
		panic(err)
	}
	return r
}
