package embedded_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockside/daemon/embedded"
)

func TestListenOnLoopback(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "localhost:0", "127.1.2.3:0"} {
		s := start(t, embedded.Options{Dir: t.TempDir(), Listen: listen})
		if !strings.HasPrefix(s.Endpoint(), "http://127.") && !strings.HasPrefix(s.Endpoint(), "http://[::1]:") {
			t.Errorf("%s became %s", listen, s.Endpoint())
		}
		put(t, connect(t, s.Endpoint()), "a", "b")
	}
}

func TestListenOnASocketElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "etcd.sock")
	s := start(t, embedded.Options{Dir: t.TempDir(), Listen: "unix:" + path})
	if s.Endpoint() != "unix://"+path {
		t.Errorf("endpoint is %s", s.Endpoint())
	}
	put(t, connect(t, s.Endpoint()), "a", "b")
}

func TestOnlyThisUserCanConnect(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "embedded")
	start(t, embedded.Options{Dir: dir})
	for name, want := range map[string]os.FileMode{".": 0o700, "client.sock": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}

func TestOtherHostsAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for listen, want := range map[string]string{
		"0.0.0.0:2379":                       "serves this host only",
		":2379":                              "serves this host only",
		"[::]:2379":                          "serves this host only",
		"192.0.2.1:2379":                     "serves this host only",
		"example.com:2379":                   "serves this host only",
		"2379":                               "want HOST:PORT or unix:PATH",
		"unix:/" + strings.Repeat("x", 107):  "has 108 bytes",
		"unix:" + file:                       "a file that is no socket",
		"unix:/proc/nonexistent/client.sock": "no such file",
	} {
		s, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir(), Listen: listen})
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", listen, err, want)
		}
	}
}

func TestAnotherProgramsSocketIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	other, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, err = embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir(), Listen: "unix:" + path})
	if err == nil || !strings.Contains(err.Error(), "another program serves it") {
		t.Errorf("got %v", err)
	}
}
