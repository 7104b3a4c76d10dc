package model_test

import (
	"flag"
	"testing"
)

var long = flag.Bool("model.long", false, "search wider bounds too, in another two minutes and up to 2.5 GB")

// Some faces of the model, each with bounds of its own: together they would be too
// much to search.
var (
	all      = []string{"TTL=4", "LOCKS=2", "TROUBLES=0"}
	timed    = []string{"NO_CALM", "TTL=4", "LOCKS=2", "TROUBLES=0"}
	stormy   = []string{"NO_CALM", "TTL=3", "LOCKS=3", "TROUBLES=1"}
	timeless = []string{"NO_TIME", "LOCKS=4", "TROUBLES=2"}

	wideAll      = []string{"TTL=4", "LOCKS=2", "TROUBLES=1"}
	wideTimed    = []string{"NO_CALM", "TTL=4", "LOCKS=3", "TROUBLES=0"}
	wideTimeless = []string{"NO_TIME", "LOCKS=5", "TROUBLES=1"}
)

// TestRules holds that within the bounds the rules of package leases keep every claim.
func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		bounds []string
		long   bool
	}{
		{"All", all, false},
		{"Stormy", stormy, false},
		{"Timeless", timeless, false},
		{"WideAll", wideAll, true},
		{"WideTimed", wideTimed, true},
		{"WideTimeless", wideTimeless, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.long && !*long {
				t.Skip("needs -model.long")
			}
			t.Parallel()
			c := newChecker(t, whole, tt.bounds...)
			v := c.search(t)
			switch {
			case v.violated != "":
				t.Fatalf("%s does not hold:\n%s", v.violated, c.counterexample(t))
			case !v.complete:
				t.Fatalf("the search is not complete:\n%s", v.report)
			}
			t.Log(v.report)
		})
	}
}

// TestOneRuleLess holds that the claims are sharp: without any one of these rules, the
// claim that rests on it does not hold.
func TestOneRuleLess(t *testing.T) {
	t.Parallel()
	tests := []struct {
		without, claim, violated string
		bounds                   []string
	}{
		{"DEADLINE_FROM_REPLY", "CLOSED_IN_TIME", "closed_in_time", timed},
		{"DEADLINE_FROM_REPLY", "ONE_HOLDER", "one_holder", timed},
		{"MARGIN=1", "ONE_HOLDER", "one_holder", timed},
		{"DEADLINE_NOT_FIRST", "IN_TURN", "in_turn", stormy},
		{"HANDOFF_PAST_FOREIGN", "ONE_HOLDER", "one_holder", timeless},
		{"LOOK_BEFORE_PUT", "ONE_HOLDER", "one_holder", timeless},
		{"SHARED_REVISION", "ONE_HOLDER", "one_holder", timeless},
		{"SHARED_REVISION", "FENCES_RISE", "fences_rise", timeless},
		{"KEY_FREE_UNCONFIRMED", "FENCES_RISE", "fences_rise", timeless},
		{"DROP_UNGUARDED", "ONE_HOLDER", "one_holder", timeless},
		{"NO_EPOCH", "ENTRY_KNOWN", "entry_known", timeless},
		{"NO_EPOCH", "NOTHING_LEFT", "nothing_left", timeless},
		{"SILENCE_IS_NO", "NOTHING_LEFT", "nothing_left", timeless},
		{"RESOURCE_TURNED", "WRITES_RISE", "writes_rise", timeless},
		{"RESOURCE_TURNED", "HOLDER_WRITES", "holder_writes", timeless},
		{"RESOURCE_BLIND", "WRITES_RISE", "writes_rise", timeless},
	}
	for _, tt := range tests {
		t.Run(tt.without+"/"+tt.claim, func(t *testing.T) {
			t.Parallel()
			expectViolation(t, tt.violated, append([]string{tt.without, "CLAIM=" + tt.claim}, tt.bounds...))
		})
	}
}

// TestReach holds that the model can come to what its claims are about: one that
// could do nothing would keep them all.
func TestReach(t *testing.T) {
	t.Parallel()
	tests := []struct {
		event  string
		bounds []string
	}{
		{"HAND_OVER", timeless},
		{"OLD_WRITE", timeless},
		{"LATE_PUT", timeless},
		{"LATE_DROP", timeless},
		{"FENCED_OFF", timeless},
		{"FOUND", timeless},
		{"NOT_FOUND", timeless},
		{"ENDED_UNDER_IT", stormy},
		{"AGED_ANSWER", timed},
		{"GONE_BEFORE", timeless},
	}
	for _, tt := range tests {
		t.Run(tt.event, func(t *testing.T) {
			t.Parallel()
			expectViolation(t, "not_reached", append([]string{"REACH=" + tt.event}, tt.bounds...))
		})
	}
}

func expectViolation(t *testing.T, want string, defines []string) {
	t.Helper()
	c := newChecker(t, shortest, defines...)
	v := c.search(t)
	if v.violated != want {
		t.Fatalf("violated: %q, want %q\n%s", v.violated, want, v.report)
	}
	t.Log(c.counterexample(t))
}
