package core

import (
	"errors"
	"testing"
)

// TestRegressEndsHoldersAlone: sessions that hold nothing lose nothing, and
// read why their request is refused.
func TestRegressEndsHoldersAlone(t *testing.T) {
	b := newBench(t)
	held := b.lock(1, Forever)
	b.step(BatchApplied{Batch: held.ID, Revision: 10, Looks: [][]Key{{}}})
	take[Granted](b)
	b.lock(2, Forever) // its outcome is never known
	b.step(Open{3})
	b.step(Regress{})
	if lost := take[Lost](b); lost.Session != 1 || lost.Reason != Regression {
		t.Errorf("%+v", lost)
	}
	if refused := take[Refused](b); refused.Session != 2 || !errors.Is(refused.Err, ErrRegressed) {
		t.Errorf("%+v", refused)
	}
	none[Lost](b)
	b.step(Lock{Session: 3, Names: []string{"x"}})
	if refused := take[Refused](b); !errors.Is(refused.Err, ErrRegressed) {
		t.Errorf("%+v", refused)
	}
	none[Granted](b)
}
