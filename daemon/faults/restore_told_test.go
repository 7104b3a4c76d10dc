package faults_test

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"lockside/daemon"
	"lockside/ipc"
	"lockside/leases"
	"lockside/leases/etcdtest"
)

// A journal keeps a daemon's log.
type journal struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) has(text string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Contains(j.text.String(), text)
}

// TestRestoreSaysWhatToDo: the log, STATUS and every refusal use the same words.
func TestRestoreSaysWhatToDo(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h := newHost(t, "a", server.Endpoint)
	var log journal
	h.run(t, func(o *daemon.Options) {
		o.Logger = slog.New(slog.NewTextHandler(io.MultiWriter(&log, t.Output()), nil))
	})
	c, _ := h.lock(t, "nightly")
	server.Replace(t, etcdtest.WithClusterToken("another"))
	c.lost(ipc.ReasonRegressed)
	if text := h.awaitRegressed(t).Get("text"); text != leases.GoneBack {
		t.Errorf("STATUS says %q", text)
	}
	if last, _ := h.dial(t).ask("LOCK nightly"); last.Text != leases.GoneBack {
		t.Errorf("LOCK is answered %s", last.Append(nil))
	}
	if !log.has(leases.GoneBack) {
		t.Error("the log does not say what to do")
	}
}
