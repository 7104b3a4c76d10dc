package history_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockside/daemon/faults/history"
)

// A world makes a history in which every promise is kept: a lock service that is
// one queue a name, and clients that do at random what clients do.
type world struct {
	random *rand.Rand
	now    time.Duration
	fence  int64
	queues map[string][]*waiter
	idle   []string
	values map[string]int64
	events []history.Event
}

// A waiter is a client in a queue, and the holder if it is the first.
type waiter struct {
	client, name string
	fence        int64
	held         bool
}

func newWorld(seed uint64) *world {
	w := &world{random: rand.New(rand.NewPCG(seed, 1)), queues: map[string][]*waiter{}, values: map[string]int64{}}
	for i := range 8 {
		w.idle = append(w.idle, fmt.Sprintf("c%d", i))
	}
	return w
}

func (w *world) record(e history.Event) {
	w.now += time.Duration(1+w.random.IntN(1000)) * time.Microsecond
	e.At = w.now
	if e.Kind == history.Wrote || e.Kind == history.Read {
		e.Begin = w.now - 500*time.Nanosecond
	}
	w.events = append(w.events, e)
}

// run makes so many moves, and then lets everybody have a turn.
func (w *world) run(moves int) []history.Event {
	for range moves {
		if len(w.idle) > 0 && w.random.IntN(2) == 0 {
			w.ask()
		} else {
			w.move(fmt.Sprintf("n%d", w.random.IntN(3)))
		}
	}
	for i := range 3 {
		for name := fmt.Sprintf("n%d", i); len(w.queues[name]) > 0; {
			w.move(name)
		}
	}
	return w.events
}

func (w *world) ask() {
	i := w.random.IntN(len(w.idle))
	client, name := w.idle[i], fmt.Sprintf("n%d", w.random.IntN(3))
	w.idle = slices.Delete(w.idle, i, i+1)
	w.fence++
	w.queues[name] = append(w.queues[name], &waiter{client: client, name: name, fence: w.fence})
	w.record(history.Event{Kind: history.Asked, Client: client, Names: []string{name}, Host: "h"})
}

// move lets the first of a queue go on: it is granted the name, uses it, and
// gives it up or loses it.
func (w *world) move(name string) {
	if len(w.queues[name]) == 0 {
		return
	}
	first := w.queues[name][0]
	event := func(kind history.Kind) history.Event {
		return history.Event{Kind: kind, Client: first.client, Names: []string{name}, Fence: first.fence}
	}
	switch {
	case !first.held && w.random.IntN(8) == 0:
		w.record(event(history.Refused))
	case !first.held:
		w.record(event(history.Granted))
		first.held = true
		return
	case w.random.IntN(3) > 0:
		w.use(event)
		return
	case w.random.IntN(4) == 0:
		w.record(history.Event{Kind: history.Lost, Client: first.client, Reason: "deadline"})
	default:
		w.record(event(history.Unlocking))
		w.record(event(history.Unlocked))
	}
	w.queues[name] = w.queues[name][1:]
	w.idle = append(w.idle, first.client)
}

func (w *world) use(event func(history.Kind) history.Event) {
	read := event(history.Read)
	name := read.Names[0]
	read.Value = w.values[name]
	w.record(read)
	w.values[name]++
	wrote := event(history.Wrote)
	wrote.Value = w.values[name]
	w.record(wrote)
}

// injections each break one rule of a history at a random place.
func injections() map[history.Rule]func(*rand.Rand, []history.Event) []history.Event {
	return map[history.Rule]func(*rand.Rand, []history.Event) []history.Event{
		history.Overlap:   intrude,
		history.NotRising: lower,
		history.Twice:     repeat,
		history.LateWrite: writeLate,
		history.Register:  misread,
		history.Unserved:  neglect,
	}
}

// pick is the index of a random event for which something holds.
func pick(r *rand.Rand, events []history.Event, suits func(int, history.Event) bool) int {
	for _, i := range r.Perm(len(events)) {
		if suits(i, events[i]) {
			return i
		}
	}
	panic("no event suits")
}

// of is whether an event is of a kind.
func of(kind history.Kind) func(int, history.Event) bool {
	return func(_ int, e history.Event) bool { return e.Kind == kind }
}

// turn is a stranger's request for a name, its grant and its release.
func turn(after history.Event, fence int64) []history.Event {
	stranger := func(i int, kind history.Kind) history.Event {
		return history.Event{At: after.At + time.Duration(i), Kind: kind, Client: "stranger", Names: after.Names, Fence: fence}
	}
	return []history.Event{stranger(1, history.Asked), stranger(2, history.Granted), stranger(3, history.Unlocking), stranger(4, history.Unlocked)}
}

// intrude grants a name that is held, with a fence between those around.
func intrude(r *rand.Rand, events []history.Event) []history.Event {
	i := pick(r, events, of(history.Granted))
	double(events)
	return slices.Insert(events, i+1, turn(events[i], events[i].Fence+1)...)
}

// double makes room for another fence after each.
func double(events []history.Event) {
	for i := range events {
		events[i].Fence *= 2
	}
}

// lower grants a fence that is lower than the last.
func lower(r *rand.Rand, events []history.Event) []history.Event {
	i := pick(r, events, of(history.Unlocking))
	double(events)
	return slices.Insert(events, i+1, turn(events[i], events[i].Fence-1)...)
}

// repeat grants a fence again.
func repeat(r *rand.Rand, events []history.Event) []history.Event {
	i := pick(r, events, of(history.Unlocking))
	return slices.Insert(events, i+1, turn(events[i], events[i].Fence)...)
}

// writeLate has an earlier holder's write accepted.
func writeLate(r *rand.Rand, events []history.Event) []history.Event {
	i := pick(r, events, func(_ int, e history.Event) bool { return e.Kind == history.Wrote && e.Fence > 1 })
	late := events[i]
	late.Fence, late.Begin, late.At, late.Client = late.Fence-1, late.At+1, late.At+2, "late"
	return slices.Insert(events, i+1, late)
}

// misread has a holder read what is not there.
func misread(r *rand.Rand, events []history.Event) []history.Event {
	events[pick(r, events, of(history.Read))].Value += 1000
	return events
}

// neglect leaves a waiter without an answer, and with it all that the client did
// later.
func neglect(r *rand.Rand, events []history.Event) []history.Event {
	i := pick(r, events, of(history.Asked))
	client := events[i].Client
	rest := slices.DeleteFunc(slices.Clone(events[i+1:]), func(e history.Event) bool {
		return e.Client == client && e.Kind != history.Wrote && e.Kind != history.Read
	})
	return append(events[:i+1], rest...)
}

// TestRandomHistories holds that histories without a violation have none, and
// that one which is put in is always found.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(150) {
		if found := history.Check(newWorld(seed).run(300)); len(found) != 0 {
			t.Fatalf("seed %d: %s", seed, found[0])
		}
		for rule, inject := range injections() {
			events := inject(rand.New(rand.NewPCG(seed, 2)), newWorld(seed).run(300))
			found := history.Check(events)
			if !slices.ContainsFunc(found, func(v history.Violation) bool { return v.Rule == rule }) {
				t.Errorf("seed %d: %s was not found, but %v", seed, rule, found)
			}
		}
	}
}
