package safety

import (
	"strings"
	"testing"
	"time"
)

func TestBroken(t *testing.T) {
	rising := Outcome{Granted: true, FenceA: 1, FenceB: 2}
	with := func(change func(*Outcome)) Outcome {
		o := rising
		change(&o)
		return o
	}
	for _, test := range []struct {
		name   string
		result Result
		want   string // "" for none
	}{
		{"all is well", Result{System: Lockside, Scenario: Pause, Outcome: rising}, ""},
		{"a stale write", Result{System: Lockside, Scenario: Pause, Checked: true, Outcome: with(func(o *Outcome) { o.Lost = true })}, "a stale write was taken"},
		{"a stale write that nobody checks", Result{System: Lockside, Scenario: Pause, Outcome: with(func(o *Outcome) { o.Lost = true })}, ""},
		{"fences that do not rise", Result{System: Lockside, Scenario: Failover, Outcome: with(func(o *Outcome) { o.FenceB = 1 })}, "fence 1 was granted after 1"},
		{"a grant after a regression", Result{System: Lockside, Scenario: Reset, Outcome: rising}, "revisions had gone back"},
		{"a grant by the only member after a regression", Result{System: Lockside + ", one member", Scenario: LostDisk, Outcome: rising}, "revisions had gone back"},
		{"a grant by one of three", Result{System: Lockside, Scenario: LostDisk, Outcome: rising}, ""},
		{"two who hold", Result{System: Lockside, Scenario: Partition, Outcome: with(func(o *Outcome) { o.Early, o.Overlap = true, time.Second })}, "two had the lock for 1s"},
		{"two of whom one is paused", Result{System: Lockside, Scenario: Pause, Outcome: with(func(o *Outcome) { o.Early = true })}, ""},
		{"no story", Result{System: Lockside, Scenario: Reset, Reason: "none", Outcome: rising}, ""},
		{"a rival", Result{System: "Redis", Scenario: Reset, Outcome: rising}, ""},
		{"what it cannot know", Result{System: atOnceName, Scenario: Reset, Outcome: rising}, ""},
	} {
		got := strings.Join(broken([]Result{test.result}), "; ")
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
