package systemd

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/journal"
)

// recorder keeps the records that it handles.
type recorder struct{ said *[]string }

func (r recorder) Enabled(context.Context, slog.Level) bool { return true }
func (r recorder) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r recorder) WithGroup(string) slog.Handler            { return r }
func (r recorder) Handle(_ context.Context, record slog.Record) error {
	*r.said = append(*r.said, record.Level.String()+" "+record.Message)
	return nil
}

// TestJournalIsReadable: what the fields hold is in the message too.
func TestJournalIsReadable(t *testing.T) {
	var said []string
	log := slog.New(&worded{recorder{&said}, nil})
	log.With("session", 4).Warn("Session lost", "reason", "deadline", "comm", "a job")
	log.Debug("Stopped")
	want := []string{`WARN Session lost session=4 reason=deadline comm="a job"`, "DEBUG Stopped"}
	for i := range want {
		if len(said) <= i || said[i] != want[i] {
			t.Errorf("the journal shows %q, want %q", said, want)
		}
	}
}

// TestJournalFields: the journal takes capital letters, digits and underscores, and
// durations in words.
func TestJournalFields(t *testing.T) {
	for key, want := range map[string]string{"session": "LOCKSIDE_SESSION", "state-dir": "LOCKSIDE_STATE_DIR", "µ": "LOCKSIDE__"} {
		if got := field(nil, slog.Int(key, 1)); got.Key != want || got.Value.Int64() != 1 {
			t.Errorf("%s is written as %v, want %s", key, got, want)
		}
	}
	if got := field(nil, slog.Duration("left", 1500*time.Millisecond)); got.Value.String() != "1.5s" {
		t.Errorf("a duration is written as %v", got.Value)
	}
}

// TestJournalElsewhere: standard error that goes to a file or a terminal is logged to as
// it stands, whatever a parent of this process had.
func TestJournalElsewhere(t *testing.T) {
	t.Setenv("JOURNAL_STREAM", "1:2")
	if h, err := Journal(slog.LevelInfo); h != nil || err != nil {
		t.Errorf("%v, %v", h, err)
	}
}

// TestJournalOutOfReach: where standard error goes to the journal, but the journal's
// socket is not there, standard error is logged to, and nothing is dropped.
func TestJournalOutOfReach(t *testing.T) {
	if journal.Enabled() {
		t.Skip("needs a host without a journal")
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(int(os.Stderr.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	t.Setenv("JOURNAL_STREAM", fmt.Sprintf("%d:%d", st.Dev, st.Ino))
	if to, err := journal.StderrIsJournalStream(); err != nil || !to {
		t.Fatalf("standard error is not taken for the journal's: %v, %v", to, err)
	}
	if h, err := Journal(slog.LevelInfo); h != nil || err != nil {
		t.Errorf("%v, %v", h, err)
	}
}
