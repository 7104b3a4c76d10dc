package systemd

import (
	"bytes"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNotifierWaitsForNobody: a systemd that reads nothing does not hold the daemon up,
// and the log says what it was not told.
func TestNotifierWaitsForNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	var said bytes.Buffer
	n := NewNotifier(slog.New(slog.NewTextHandler(&said, nil)))
	for range 10_000 { // more than its queue holds
		if n.Alive(); said.Len() > 0 {
			break
		}
	}
	if text := said.String(); !strings.Contains(text, "Systemd not told") || !strings.Contains(text, "WATCHDOG=1") {
		t.Errorf("the log says %q", text)
	}
	var text [100]byte
	if err := socket.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if size, err := socket.Read(text[:]); err != nil || string(text[:size]) != "WATCHDOG=1" {
		t.Errorf("told %q, %v", text[:size], err)
	}
}

// TestNotifierWithoutSystemd tells nobody, and nothing to the log.
func TestNotifierWithoutSystemd(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	n := NewNotifier(slog.New(slog.NewTextHandler(t.Output(), nil)))
	if n != nil {
		t.Error("there is somebody to tell")
	}
	n.Ready()
	n.Status("well")
}
