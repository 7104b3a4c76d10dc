package soak

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/crowd"
)

const (
	// lookEvery is how often the observer takes what was recorded.
	lookEvery = 100 * time.Millisecond

	// lateEnough is how much later than it should have run somebody was starved.
	lateEnough = 200 * time.Millisecond
)

// An observer takes all events in order, has them checked, and counts.
type observer struct {
	merger  *merger
	ledger  *ledger
	checker *history.Checker
	log     *slog.Logger
	margin  time.Duration
	copy    *json.Encoder            // takes all events in order, or nil
	doubts  []string                 // of each of the checker's violations
	asked   map[string]time.Duration // since when who waits does
	hosts   map[string]string        // that had a name last

	mu         sync.Mutex // guards what follows
	tally      Tally
	stalls     Stalls
	violations []Violation
}

func newObserver(m *merger, l *ledger, margin time.Duration, log *slog.Logger) *observer {
	return &observer{
		merger: m, ledger: l, checker: history.NewChecker(), log: log, margin: margin,
		asked: map[string]time.Duration{}, hosts: map[string]string{},
		tally: Tally{Refusals: map[string]int{}, Losses: map[string]int{}, FalseLosses: map[string]int{}},
	}
}

// run observes until a channel is closed, and then to the end of the history.
func (o *observer) run(over <-chan struct{}) {
	for ended := false; !ended; {
		select {
		case <-over:
			ended = true
		case <-time.After(lookEvery):
		}
		events, err := o.merger.take()
		if err != nil {
			o.violate("history", err.Error(), 0)
			return
		}
		for _, e := range events {
			o.add(e)
		}
	}
	o.checker.End()
}

// add takes the next event.
func (o *observer) add(e history.Event) {
	switch e.Kind {
	case crowd.Awake:
		o.awake(e)
		return
	case crowd.Unreachable:
		o.unreachable(e)
		return
	}
	if o.copy != nil {
		if err := o.copy.Encode(e); err != nil {
			o.violate("history", "it cannot be written: "+err.Error(), 0)
			o.copy = nil
		}
	}
	before := o.checker.Broken()
	o.checker.Add(e)
	if broken := o.checker.Broken(); broken > before {
		doubt := o.doubt(e.At)
		for len(o.doubts) < broken {
			o.doubts = append(o.doubts, doubt)
		}
		o.log.Error("The history breaks a rule", "at", e, "violations", broken, "doubt", doubt)
	}
	o.count(e)
}

// count counts what a client was told.
func (o *observer) count(e history.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tally.Events++
	switch e.Kind {
	case history.Asked:
		o.asked[e.Client] = e.At
	case history.Granted:
		o.tally.Grants++
		o.tally.LongestWait = max(o.tally.LongestWait, e.At-o.asked[e.Client])
		for _, name := range e.Names {
			if last := o.hosts[name]; last != "" && last != e.Host {
				o.tally.Passed++
			}
			o.hosts[name] = e.Host
		}
	case history.Unlocked:
		o.tally.Released++
	case history.Killed:
		delete(o.asked, e.Client)
	case history.Refused:
		o.refusedLocked(e)
	case history.Lost:
		o.lostLocked(e)
	case history.Wrote, history.Read:
		o.tally.Uses++
		if e.Denied {
			o.tally.Denied++
		}
	}
}

// awake notes that a crowd had to wait for a processor.
func (o *observer) awake(e history.Event) {
	if e.At-e.Begin < lateEnough {
		return
	}
	name, _, _ := strings.Cut(e.Client, "/")
	if !o.ledger.frozen(name, e.Begin-time.Second, e.At) {
		o.starved(span{state: starved, crowd: name, begin: e.Begin, end: e.At})
	}
}

func (o *observer) starved(s span) {
	o.ledger.add(s)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stalls.Count++
	o.stalls.Longest = max(o.stalls.Longest, s.end-s.begin)
}

// soFar is what was counted until now.
func (o *observer) soFar() (t Tally, violations int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t = o.tally
	t.Refusals, t.Losses, t.FalseLosses = maps.Clone(t.Refusals), maps.Clone(t.Losses), maps.Clone(t.FalseLosses)
	return t, len(o.violations)
}

// total puts all into a result, once run has returned.
func (o *observer) total(r *Result) {
	r.Tally, _ = o.soFar()
	r.Stalls = o.stalls
	for i, v := range o.checker.Violations() {
		found := Violation{Rule: string(v.Rule), Text: v.String()}
		if i < len(o.doubts) {
			found.Doubt = o.doubts[i]
		}
		r.Violations = append(r.Violations, found)
	}
	r.Violations = append(r.Violations, o.violations...)
	if more := o.checker.Broken() - len(o.checker.Violations()); more > 0 {
		r.Violations = append(r.Violations, Violation{Rule: "more", Text: fmt.Sprintf("%d more breaks of the history's rules", more)})
	}
}
