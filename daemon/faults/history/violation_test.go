package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockside/daemon/faults/history"
)

// TestViolationShowsWhatWasAround holds the whole text of one.
func TestViolationShowsWhatWasAround(t *testing.T) {
	found := history.Check(parse(t, `
		a asked x
		c asked y host=h
		a granted x fence=5
		b asked x
		b granted x fence=6 lease=255
		a lost
		b unlocking x`))
	if len(found) != 2 {
		t.Fatalf("%d violations, want an overlap and a waiter", len(found))
	}
	want := `overlap of "x": b is granted fence 6 while a holds it with 5
   0.001000 a asked x
   0.003000 a granted x fence=5
   0.004000 b asked x
 > 0.005000 b granted x fence=6 lease=ff
   0.006000 a lost
   0.007000 b unlocking x`
	if got := found[0].String(); got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
}

// TestManyViolations are all counted, and the first are kept.
func TestManyViolations(t *testing.T) {
	c := history.NewChecker()
	for i := range 300 {
		c.Add(history.Event{At: time.Duration(i), Kind: history.Granted, Client: "a", Names: []string{"x"}, Fence: 1})
	}
	if c.Broken() != 300 || len(c.Violations()) != 100 || c.Events() != 300 {
		t.Errorf("%d of %d events, of which %d are kept", c.Broken(), c.Events(), len(c.Violations()))
	}
}

// TestLongHistory has more uses of a resource than are looked at together, and
// one wrong value at a moment that is checked before the end.
func TestLongHistory(t *testing.T) {
	for _, wrong := range []int{-1, 0, 700, 2999} {
		c := history.NewChecker()
		for i := range 3000 {
			at := time.Duration(i+1) * time.Second
			fence, value := int64(i+1), int64(i)
			if i == wrong {
				value += 7
			}
			c.Add(history.Event{At: at, Begin: at - 2, Kind: history.Read, Client: "a", Names: []string{"x"}, Fence: fence, Value: value})
			c.Add(history.Event{At: at + 5, Begin: at + 2, Kind: history.Wrote, Client: "a", Names: []string{"x"}, Fence: fence, Value: int64(i + 1)})
		}
		c.End()
		want := 0
		if wrong >= 0 {
			want = 1
		}
		if found := c.Violations(); len(found) != want || want == 1 && !strings.Contains(found[0].Text, fmt.Sprintf("value=%d ", wrong+7)) {
			t.Errorf("a wrong value in %d: found %v", wrong, found)
		}
	}
}
