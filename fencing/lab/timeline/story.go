package timeline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// A story is what events add up to. Events are told by their index.
type story struct {
	events []Event // in the order of time

	waits []span // a client asked, and had no answer yet
	holds []span // a client believed that it held the lock
	cuts  []span // a lane was paused or cut off
	both  []span // both clients believed that they held the lock; without a lane

	// lost has each write that overwrote one that its writer had not read, with
	// the lane whose write is gone.
	lost map[int]Lane
}

// A span is the time from one event to another. One that did not end is to the
// number of events.
type span struct {
	lane     Lane
	from, to int
}

// tell makes a story of events, which may come in any order.
func tell(events []Event) (*story, error) {
	if len(events) == 0 {
		return nil, errors.New("there are no events")
	}
	s := &story{events: slices.Clone(events), lost: map[int]Lane{}}
	for _, e := range events {
		if !slices.Contains(Lanes(), e.Lane) {
			return nil, fmt.Errorf("there is no lane %q; there are %q", e.Lane, Lanes())
		}
		if e.At < 0 {
			return nil, fmt.Errorf("%s of %s is %v before the story begins", e.Kind, e.Lane, -e.At)
		}
	}
	slices.SortStableFunc(s.events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	clients := []Lane{ClientA, ClientB}
	s.waits = s.spans(clients, []Kind{Acquire}, []Kind{Grant, Failed})
	s.holds = s.spans(clients, []Kind{Grant}, []Kind{Release, Told, Refused})
	s.cuts = slices.DeleteFunc(s.spans(Lanes(), []Kind{Strike}, []Kind{Heal}), func(cut span) bool {
		return cut.open(len(events)) && !slices.Contains(clients, cut.lane)
	})
	s.findBoth()
	s.findLost()
	return s, nil
}

// spans are the times from one kind of event to another of the same lane.
func (s *story) spans(lanes []Lane, begin, end []Kind) []span {
	var all []span
	for _, lane := range lanes {
		since := -1
		for i, e := range s.events {
			switch {
			case e.Lane != lane:
			case since < 0 && slices.Contains(begin, e.Kind):
				since = i
			case since >= 0 && slices.Contains(end, e.Kind):
				all = append(all, span{lane, since, i})
				since = -1
			}
		}
		if since >= 0 {
			all = append(all, span{lane, since, len(s.events)})
		}
	}
	return all
}

// open reports whether a span of a story of so many events did not end.
func (s span) open(events int) bool { return s.to == events }

func (s *story) findBoth() {
	for _, a := range s.holds {
		for _, b := range s.holds {
			both := span{from: max(a.from, b.from), to: min(a.to, b.to)}
			if a.lane == ClientA && b.lane == ClientB && both.from < both.to {
				s.both = append(s.both, both)
			}
		}
	}
}

func (s *story) findLost() {
	read, wrote := map[Lane]int{}, map[Lane]int{}
	for i, e := range s.events {
		switch e.Kind {
		case Read:
			read[e.Lane] = i
		case Write:
			wrote[e.Lane] = i
			other := e.Lane.other()
			at, has := read[e.Lane]
			if before, ok := wrote[other]; has && ok && at < before {
				s.lost[i] = other
				read[e.Lane] = i // it is told once
			}
		}
	}
}

// other is the other client.
func (l Lane) other() Lane {
	if l == ClientA {
		return ClientB
	}
	return ClientA
}
