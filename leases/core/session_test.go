package core

import (
	"errors"
	"testing"
)

// TestNamesAskedForTwice: two entries of one name would share a fence (I1).
func TestNamesAskedForTwice(t *testing.T) {
	b := newBench(t)
	b.ask(1, Forever, "x", "y", "x")
	if r := take[Refused](b); !errors.Is(r.Err, ErrHeld) {
		t.Errorf("%+v", r)
	}
}
