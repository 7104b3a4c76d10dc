package listen_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lockside/daemon/listen"
)

// listenAt serves a path until the test ends.
func listenAt(t *testing.T, path string) *listen.Listener {
	t.Helper()
	l, err := listen.Listen(listen.Options{Path: path, Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func socketPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "s")
}

func TestSocketHasItsModeAndGroup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "on", "demand", "s")
	gid := os.Getgid()
	if os.Getuid() == 0 {
		gid = 12345
	}
	l, err := listen.Listen(listen.Options{Path: path, Mode: 0o666, Group: fmt.Sprint(gid)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode(); got != fs.ModeSocket|0o666 {
		t.Errorf("mode is %v", got)
	}
	if got := info.Sys().(*syscall.Stat_t).Gid; int(got) != gid {
		t.Errorf("group is %d, want %d", got, gid)
	}
}

func TestUnknownGroupIsAnError(t *testing.T) {
	_, err := listen.Listen(listen.Options{Path: socketPath(t), Group: "no such group"})
	if err == nil || !strings.Contains(err.Error(), "no such group") {
		t.Errorf("got %v", err)
	}
}

func TestPathsAsLongAsTheKernelTakes(t *testing.T) {
	dir, err := os.MkdirTemp("", "l")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, strings.Repeat("x", 107-len(dir)-1))
	listenAt(t, path)
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	_, err = listen.Listen(listen.Options{Path: path + "x"})
	if err == nil || !strings.Contains(err.Error(), "has 108 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestASecondListenerIsRefused(t *testing.T) {
	path := socketPath(t)
	listenAt(t, path)
	_, err := listen.Listen(listen.Options{Path: path})
	if !errors.Is(err, listen.ErrInUse) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
		t.Errorf("got %v", err)
	}
	if conn, err := net.Dial("unix", path); err != nil {
		t.Errorf("the first one is gone: %v", err)
	} else {
		conn.Close()
	}
}

// TestAnotherProgramsSocketIsKept has no lock file to go by: the other program
// is no locksided.
func TestAnotherProgramsSocketIsKept(t *testing.T) {
	path := socketPath(t)
	other, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, err = listen.Listen(listen.Options{Path: path})
	if !errors.Is(err, listen.ErrInUse) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
		t.Errorf("got %v", err)
	}
	if conn, err := net.Dial("unix", path); err != nil {
		t.Errorf("the other one is gone: %v", err)
	} else {
		conn.Close()
	}
}

func TestASocketOfAnotherKindIsKept(t *testing.T) {
	path := socketPath(t)
	other, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err = listen.Listen(listen.Options{Path: path}); !errors.Is(err, listen.ErrInUse) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
}

func TestAFileIsKept(t *testing.T) {
	path := socketPath(t)
	for _, make := range []func() error{
		func() error { return os.WriteFile(path, []byte("precious"), 0o600) },
		func() error { return os.Mkdir(path, 0o700) },
		func() error { return os.Symlink("/nonexistent", path) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		_, err := listen.Listen(listen.Options{Path: path})
		if err == nil || !strings.Contains(err.Error(), "a file that is no socket; move it away") {
			t.Errorf("got %v", err)
		}
		if err := os.Remove(path); err != nil {
			t.Errorf("the file is gone: %v", err)
		}
	}
}

func TestCloseRemovesTheSocketAndKeepsTheLockFile(t *testing.T) {
	path := socketPath(t)
	l := listenAt(t, path)
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	if _, err := os.Lstat(path + ".lock"); err != nil {
		t.Error(err)
	}
	listenAt(t, path)
}

func TestCloseKeepsWhatReplacedItsSocket(t *testing.T) {
	path := socketPath(t)
	l := listenAt(t, path)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); string(text) != "another" {
		t.Errorf("got %q, %v", text, err)
	}
}
