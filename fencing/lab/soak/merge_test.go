package soak

import (
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"

	"lockside/daemon/faults/history"
)

// crowdPipe is a stream of a crowd that a test writes as.
type crowdPipe struct {
	t    *testing.T
	file *os.File
}

func (m *merger) pipe(t *testing.T, readers *sync.WaitGroup) crowdPipe {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := m.open()
	readers.Go(func() { s.read(out) })
	return crowdPipe{t, in}
}

func (p crowdPipe) write(at time.Duration) {
	p.t.Helper()
	if err := json.NewEncoder(p.file).Encode(history.Event{At: at, Kind: history.Asked, Names: []string{"x"}}); err != nil {
		p.t.Fatal(err)
	}
}

// TestMergerKeepsTheOrder has two crowds, of which one is behind: nothing is
// handed on that it may still have something before. Once it has ended, all is.
func TestMergerKeepsTheOrder(t *testing.T) {
	recorder := history.NewRecorder()
	m := &merger{recorder: recorder}
	var readers sync.WaitGroup
	ahead, behind := m.pipe(t, &readers), m.pipe(t, &readers)
	start := recorder.Now()
	recorder.Record(history.Event{Kind: history.Gone, Host: "host0"})
	for i := range 5 {
		ahead.write(start + time.Duration(2*i))
	}
	behind.write(start + 3)
	behind.write(start + 5)
	var got []history.Event
	take := func(n int) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); len(got) < n && time.Now().Before(end); time.Sleep(time.Millisecond) {
			events, err := m.take()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, events...)
		}
		if len(got) != n {
			t.Fatalf("%d events, want %d: %v", len(got), n, got)
		}
	}
	take(4) // those at 0, 2, 3 and 4: the crowd behind is at 5
	if _, err := behind.file.WriteString(`{"at_ns":1,"kind":"as`); err != nil {
		t.Fatal(err) // killed as it wrote
	}
	if err := behind.file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := ahead.file.Close(); err != nil {
		t.Fatal(err)
	}
	readers.Wait()
	take(8)
	for i := range got[1:] {
		if got[i+1].At < got[i].At {
			t.Errorf("%v comes after %v", got[i+1], got[i])
		}
	}
	if len(m.streams) != 0 {
		t.Errorf("%d streams of crowds that have ended are kept", len(m.streams))
	}
}

// TestMergerTellsGarbage: what a crowd cannot have written is an error.
func TestMergerTellsGarbage(t *testing.T) {
	m := &merger{recorder: history.NewRecorder()}
	var readers sync.WaitGroup
	p := m.pipe(t, &readers)
	if _, err := p.file.WriteString("garbage\n"); err != nil {
		t.Fatal(err)
	}
	if err := p.file.Close(); err != nil {
		t.Fatal(err)
	}
	readers.Wait()
	if _, err := m.take(); err == nil {
		t.Error("garbage is taken for events")
	}
}
