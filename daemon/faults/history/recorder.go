package history

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"lockside/leases/boottime"
)

// A Recorder puts the events of one process in order and stamps them. It may be
// used by several goroutines at once.
type Recorder struct {
	clock boottime.Clock

	mu     sync.Mutex // guards what follows
	events []Event    // since the last Take
	lines  *json.Encoder
	err    error // of the first line that could not be written
}

// NewRecorder makes a recorder that keeps the events for Take.
func NewRecorder() *Recorder { return &Recorder{clock: boottime.System{}} }

// NewWriter makes a recorder that writes each event as a line of JSON and keeps
// none. A process that may be killed gives it a file or a pipe without a buffer.
func NewWriter(w io.Writer) *Recorder {
	return &Recorder{clock: boottime.System{}, lines: json.NewEncoder(w)}
}

// Record stamps an event. A client records what it is about to do before it
// does it, and what it was told at once after it has read it.
func (r *Recorder) Record(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.At = r.clock.Now() // within the mutex, so that stamps rise
	if r.lines == nil {
		r.events = append(r.events, e)
	} else if err := r.lines.Encode(e); err != nil && r.err == nil {
		r.err = fmt.Errorf("record an event: %w", err)
	}
}

// Now is the moment for an event's Begin.
func (r *Recorder) Now() time.Duration { return r.clock.Now() }

// Take returns the events since the last call, in order.
func (r *Recorder) Take() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.events
	r.events = nil
	return taken
}

// Err is why a line could not be written. Such a history proves nothing.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
