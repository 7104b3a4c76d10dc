package soak

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"time"

	"lockside/daemon/faults/history"
)

// forever is after every moment.
const forever = time.Duration(math.MaxInt64)

// A merger puts in order what crowds, and this process, record at the same time.
// What one has written is handed on once all others have come as far.
type merger struct {
	recorder *history.Recorder // of this process

	mu      sync.Mutex // guards what follows
	streams []*stream
	own     []history.Event
	err     error // of what could not be read
}

// A stream is what one crowd writes.
type stream struct {
	merger *merger
	events []history.Event
	at     time.Duration // nothing older comes
}

// open makes a stream for a crowd that is about to begin.
func (m *merger) open() *stream {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &stream{merger: m, at: m.recorder.Now()}
	m.streams = append(m.streams, s)
	return s
}

// read takes all that a crowd writes until it ends, and closes the file.
func (s *stream) read(f *os.File) {
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.merger.fail(err)
			}
			break // a line without an end is that of a crowd that was killed
		}
		var e history.Event
		if err := json.Unmarshal(line, &e); err != nil {
			s.merger.fail(err)
			continue
		}
		s.add(e)
	}
	s.merger.mu.Lock()
	defer s.merger.mu.Unlock()
	s.at = forever
}

func (s *stream) add(e history.Event) {
	s.merger.mu.Lock()
	defer s.merger.mu.Unlock()
	s.events, s.at = append(s.events, e), e.At
}

func (m *merger) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = errors.Join(m.err, fmt.Errorf("read what a crowd wrote: %w", err))
}

// take returns the events that none can come before, in order.
func (m *merger) take() ([]history.Event, error) {
	reached := m.recorder.Now()
	own := m.recorder.Take()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.own = append(m.own, own...)
	for _, s := range m.streams {
		reached = min(reached, s.at)
	}
	taken := cut(&m.own, reached)
	for _, s := range m.streams {
		taken = append(taken, cut(&s.events, reached)...)
	}
	m.streams = slices.DeleteFunc(m.streams, func(s *stream) bool { return s.at == forever && len(s.events) == 0 })
	slices.SortStableFunc(taken, func(a, b history.Event) int { return cmp.Compare(a.At, b.At) })
	return taken, m.err
}

// cut takes those events off the front that are older than a moment.
func cut(events *[]history.Event, before time.Duration) []history.Event {
	n := slices.IndexFunc(*events, func(e history.Event) bool { return e.At >= before })
	if n < 0 {
		n = len(*events)
	}
	taken := slices.Clone((*events)[:n])
	*events = slices.Delete(*events, 0, n)
	return taken
}
