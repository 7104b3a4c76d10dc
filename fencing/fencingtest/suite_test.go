package fencingtest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockside/fencing/fencingtest"
)

func TestSoundGuard(t *testing.T) {
	fencingtest.Test(t, func(*testing.T) *fencingtest.Resource[write] { return resource(sound) })
}

// TestBrokenGuards holds that no flaw gets through, and which cases find it.
func TestBrokenGuards(t *testing.T) {
	for f, want := range map[flaw]string{
		asText:         "numbers are compared as numbers",
		asFloat:        "numbers are compared as numbers",
		onlyGreater:    "an equal token is accepted",
		noClaim:        "a late write after a claim is refused",
		writesAnyway:   "a stale write is refused",
		unchecked:      "a stale write is refused",
		inTwoSteps:     "writers that race",
		forgets:        "a watermark outlives a restart",
		staleIfUnknown: "an unknown resource is not stale",
		anyCluster:     "another cluster is refused and not stale",
		anyToken:       "what is no token is refused",
		againOnce:      "a write whose reply was lost is done once",
		notUndone:      "a write that fails is undone",
		staleIfSpent:   "one write a grant",
		otherHighest:   "a stale claim is refused",
	} {
		t.Run(fmt.Sprint(int(f), " ", want), func(t *testing.T) {
			if found := failures(t, f); !slices.Contains(found, want) {
				t.Errorf("failed: %s; want also %q", strings.Join(found, ", "), want)
			}
		})
	}
}

// failures are the names of the cases that a guard fails. A race is run until it
// is lost.
func failures(t *testing.T, f flaw) []string {
	var found []string
	for _, c := range fencingtest.Cases[write]() {
		tries := 1
		if f == inTwoSteps {
			tries = 1000
		}
		for range tries {
			if err := c.Run(t.Context(), resource(f)); err != nil {
				t.Logf("%s: %v", c.Name, err)
				found = append(found, c.Name)
				break
			}
		}
	}
	return found
}
