package soak

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/crowd"
	"lockside/ipc"
)

// observe shows an observer what is told of host0 and crowd c1 around 50 s.
func observe(t *testing.T, l *ledger, events ...history.Event) *Result {
	t.Helper()
	o := newObserver(&merger{}, l, time.Second, slog.New(slog.NewTextHandler(t.Output(), nil)))
	for i, e := range events {
		if e.At == 0 {
			e.At = at(50) + time.Duration(i)
		}
		if e.Client == "" {
			e.Client = "c1/0"
		}
		e.Host = "host0"
		o.add(e)
	}
	o.checker.End()
	r := &Result{}
	o.total(r)
	return r
}

// rules are those that were broken, beyond doubt or not.
func rules(r *Result) (sure, doubtful []string) {
	for _, v := range r.Violations {
		if v.Doubt != "" {
			doubtful = append(doubtful, v.Rule)
		} else {
			sure = append(sure, v.Rule)
		}
	}
	return sure, doubtful
}

var x = []string{"x"}

func asked(client string) history.Event {
	return history.Event{Kind: history.Asked, Client: client, Names: x}
}

func granted(client string, fence int64) history.Event {
	return history.Event{Kind: history.Granted, Client: client, Names: x, Fence: fence}
}

func lost(reason ipc.Reason) history.Event {
	return history.Event{Kind: history.Lost, Client: "c1/0", Reason: string(reason)}
}

func refused(reason string) history.Event {
	return history.Event{Kind: history.Refused, Client: "c1/0", Reason: reason}
}

// TestObserverFinds shows what is a violation, and what is none.
func TestObserverFinds(t *testing.T) {
	frozen := span{state: still, host: "host0", begin: at(40), end: at(49)}
	thawed := span{state: former, begin: at(49), end: at(54)}
	starving := span{state: starved, begin: at(45), end: at(46)}
	overlap := []history.Event{asked("c1/0"), granted("c1/0", 7), asked("c1/1"), granted("c1/1", 8), lost(ipc.ReasonDeadline), {Kind: history.Closing, Client: "c1/1"}}
	tests := []struct {
		name     string
		ledger   *ledger
		events   []history.Event
		want     []string
		doubtful []string
	}{
		{name: "in good order", ledger: written(), events: []history.Event{
			asked("c1/0"), granted("c1/0", 7),
			{Kind: history.Unlocking, Names: x}, {Kind: history.Unlocked, Names: x},
			asked("c1/0"), refused("busy"), asked("c1/0"), refused("gave up"),
		}},
		{name: "loss by a freeze", ledger: written(frozen), events: []history.Event{asked("c1/0"), lost(ipc.ReasonDeadline)}},
		{name: "false loss", ledger: written(), events: []history.Event{asked("c1/0"), lost(ipc.ReasonDeadline)}, want: []string{"false loss"}},
		{name: "loss that a freeze does not explain", ledger: written(frozen), events: []history.Event{asked("c1/0"), lost(ipc.ReasonEntryDeleted)}, want: []string{"false loss"}},
		{name: "revoked by nobody", ledger: written(), events: []history.Event{asked("c1/0"), lost(ipc.ReasonLeaseRevoked)}, want: []string{"false loss"}},
		{name: "revoked by a former leader", ledger: written(thawed), events: []history.Event{asked("c1/0"), lost(ipc.ReasonLeaseRevoked)}},
		{name: "overlap by a former leader", ledger: written(frozen, thawed), events: overlap, doubtful: []string{"overlap"}},
		{name: "refusal", ledger: written(frozen), events: []history.Event{asked("c1/0"), refused("internal")}, want: []string{"refusal"}},
		{name: "unreachable", ledger: written(), events: []history.Event{{Kind: crowd.Unreachable}}, want: []string{"unreachable"}},
		{name: "unreachable by a freeze", ledger: written(frozen), events: []history.Event{asked("c1/0"), refused("unreachable")}},
		{name: "overlap", ledger: written(frozen), events: overlap, want: []string{"overlap"}},
		{name: "overlap while the machine stands still", ledger: written(frozen, starving), events: overlap, doubtful: []string{"overlap"}},
		{name: "unserved", ledger: written(), events: []history.Event{asked("c1/0")}, want: []string{"unserved"}},
		{name: "crowd without a processor", ledger: written(frozen), events: append([]history.Event{
			{Kind: crowd.Awake, Client: "c1", Begin: at(49), At: at(49.6)},
		}, overlap...), doubtful: []string{"overlap"}},
		{name: "frozen crowd", ledger: written(frozen, span{state: still, crowd: "c1", begin: at(48.5), end: at(49.5)}), events: append([]history.Event{
			{Kind: crowd.Awake, Client: "c1", Begin: at(49), At: at(49.6)},
		}, overlap...), want: []string{"overlap"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sure, doubtful := rules(observe(t, test.ledger, test.events...))
			if !slices.Equal(sure, test.want) || !slices.Equal(doubtful, test.doubtful) {
				t.Errorf("found %v, and with doubt %v", sure, doubtful)
			}
		})
	}
}

// TestObserverCounts looks at the sums.
func TestObserverCounts(t *testing.T) {
	r := observe(t, written(),
		asked("c1/0"), history.Event{At: at(53), Kind: history.Granted, Names: x, Fence: 7},
		history.Event{At: at(54), Begin: at(53), Kind: history.Wrote, Names: x, Fence: 7, Value: 1},
		history.Event{At: at(55), Begin: at(54), Kind: history.Read, Names: x, Fence: 6, Denied: true},
		history.Event{At: at(56), Kind: history.Unlocking, Names: x}, history.Event{At: at(57), Kind: history.Unlocked, Names: x},
		history.Event{At: at(58), Kind: history.Asked, Names: x}, history.Event{At: at(59), Kind: history.Refused, Reason: "busy"},
	)
	if r.Events != 8 || r.Grants != 1 || r.Released != 1 || r.LongestWait != at(3) || r.Uses != 2 || r.Denied != 1 || r.Refusals["busy"] != 1 {
		t.Errorf("counted %+v", r.Tally)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}
