package safety

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"lockside/fencing/lab/actor"
	"lockside/fencing/lab/timeline"
)

// A trace is what happened in a story, told by several processes.
type trace struct {
	began time.Duration

	mu     sync.Mutex // guards what follows
	events []timeline.Event
}

func newTrace() *trace { return &trace{began: actor.Now()} }

func (t *trace) add(lane timeline.Lane, kind timeline.Kind, at time.Duration, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, timeline.Event{At: at - t.began, Lane: lane, Kind: kind, Text: text})
}

// all are the events in their order. The story begins with the first one.
func (t *trace) all() []timeline.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortStableFunc(t.events, func(a, b timeline.Event) int { return cmp.Compare(a.At, b.At) })
	all := slices.Clone(t.events)
	for i := range all {
		all[i].At -= t.events[0].At
	}
	return all
}
