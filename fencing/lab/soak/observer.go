package soak

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/crowd"
	"lockside/ipc"
)

const (
	// lookEvery is how often the observer takes what was recorded.
	lookEvery = 100 * time.Millisecond

	// lateEnough is how much later than it should have run somebody was starved.
	lateEnough = 200 * time.Millisecond

	// keptViolations is how many violations are kept, beside the checker's.
	keptViolations = 100
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

// doubt is why what is found at a moment may not be the product's fault.
func (o *observer) doubt(at time.Duration) string {
	switch {
	case o.ledger.starvation(at) >= o.margin/2:
		return "the machine stood still then"
	case o.ledger.revoked(at):
		return "etcd may have revoked live leases then"
	}
	return ""
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

// refusedLocked looks at a refusal. Those that clients bring about are fine.
func (o *observer) refusedLocked(e history.Event) {
	o.tally.Refusals[e.Reason]++
	switch e.Reason {
	case string(ipc.CodeBusy), string(ipc.CodeTimeout), string(ipc.CodeUnavailable), "gave up":
	case string(crowd.Unreachable):
		o.tally.Unreachable++
		o.judgeLocked(e)
	default:
		o.violateLocked("refusal", "without a cause: "+e.String(), e.At)
	}
}

// lostLocked looks at a loss. Some reasons no fault explains.
func (o *observer) lostLocked(e history.Event) {
	o.tally.Losses[e.Reason]++
	switch ipc.Reason(e.Reason) {
	case ipc.ReasonLeaseRevoked:
		if o.ledger.revoked(e.At) {
			o.tally.Revoked++
			return
		}
		o.judgeLocked(e)
	case ipc.ReasonDeadline, ipc.ReasonClientDeadline, ipc.ReasonEOF, ipc.ReasonLeaseExpired, ipc.ReasonNotHeld:
		o.judgeLocked(e)
	default:
		o.tally.FalseLosses[e.Reason]++
		o.violateLocked("false loss", "for a reason that no fault explains: "+e.String(), e.At)
	}
}

// unreachable looks at a client that could not connect.
func (o *observer) unreachable(e history.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tally.Unreachable++
	o.judgeLocked(e)
}

// judgeLocked holds that faults explain what a client was told.
func (o *observer) judgeLocked(e history.Event) {
	name, _, _ := strings.Cut(e.Client, "/")
	if o.ledger.explains(e.At, e.Host, name) {
		return
	}
	rule := "unreachable"
	if e.Kind == history.Lost {
		rule = "false loss"
		o.tally.FalseLosses[e.Reason]++
	}
	o.violateLocked(rule, "without a fault that explains it: "+e.String(), e.At)
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

// violate notes a violation that the checker does not see. The moment may be 0
// for one that the machine has no part in.
func (o *observer) violate(rule, text string, at time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.violateLocked(rule, text, at)
}

func (o *observer) violateLocked(rule, text string, at time.Duration) {
	v := Violation{Rule: rule, Text: text}
	if at > 0 {
		v.Doubt = o.doubt(at)
	}
	o.log.Error("A promise is not kept", "rule", rule, "text", text, "doubt", v.Doubt)
	if len(o.violations) < keptViolations {
		o.violations = append(o.violations, v)
	}
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
	r.Violations = slices.Concat(r.Violations, o.violations)
	if more := o.checker.Broken() - len(o.checker.Violations()); more > 0 {
		r.Violations = append(r.Violations, Violation{Rule: "more", Text: fmt.Sprintf("%d more breaks of the history's rules", more)})
	}
}
