package embedded_test

import (
	"log/slog"
	"strings"
	"sync"
	"testing"

	"lockside/daemon/embedded"
)

func TestAGoodLifeIsQuiet(t *testing.T) {
	var log syncBuilder
	s := start(t, embedded.Options{Dir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	put(t, connect(t, s.Endpoint()), "a", "b")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(log.String()) {
		if !strings.Contains(line, "took too long") { // A slow machine may say so.
			t.Errorf("logged: %s", line)
		}
	}
}

// syncBuilder is a log of several goroutines.
type syncBuilder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuilder) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(line)
}

func (b *syncBuilder) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
