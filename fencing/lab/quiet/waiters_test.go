package quiet_test

import (
	"strings"
	"testing"
	"time"

	"lockside/fencing/lab/quiet"
)

// waiters has 100 of them wait for a fake's name.
func waiters(t *testing.T, f *fake, limit time.Duration) quiet.Waiters {
	t.Helper()
	w, err := quiet.MeasureWaiters(t.Context(), f, 100, limit, true)
	if err != nil {
		t.Fatal(err)
	}
	if f.sessions != 0 || w.Wanted != 100 {
		t.Errorf("%d sessions are left; %+v", f.sessions, w)
	}
	return w
}

func TestWaiters(t *testing.T) {
	w := waiters(t, &fake{}, time.Minute)
	if w.Waiters != 100 || w.Granted != 100 || w.Overlaps != 0 || w.NotRising != 0 || len(w.Errors) != 0 {
		t.Errorf("%+v", w)
	}
	if w.Seconds <= 0 || w.Rate != 100/w.Seconds {
		t.Errorf("%g hand-offs/s in %gs", w.Rate, w.Seconds)
	}
}

func TestWaitersThatHoldAtOnce(t *testing.T) {
	if w := waiters(t, &fake{open: true}, time.Second); w.Overlaps == 0 {
		t.Errorf("a lock that everybody has at once shows no overlap: %+v", w)
	}
}

// TestWaitersThatAreNotLetIn does not wait for those that cannot come.
func TestWaitersThatAreNotLetIn(t *testing.T) {
	w := waiters(t, &fake{refused: 50}, time.Minute)
	if w.Waiters != 98 || w.Granted != 98 || w.Errors["too many"] != 2 {
		t.Errorf("%+v", w)
	}
}

// TestWaitersBehindALostOne has one that never gives back the name.
func TestWaitersBehindALostOne(t *testing.T) {
	w := waiters(t, &fake{losing: 50}, 500*time.Millisecond)
	if w.Waiters != 100 || w.Granted >= 100 || w.Errors["lost"] != 1 {
		t.Errorf("%+v", w)
	}
	late := 0
	for text, n := range w.Errors {
		if strings.Contains(text, "not all waiters had their turn") {
			late += n
		}
	}
	if late+w.Granted+1 != 100 {
		t.Errorf("%d waiters were granted, %d not, of 100", w.Granted, late)
	}
}

func TestNobodyHolds(t *testing.T) {
	f := &fake{refused: 1}
	if w, err := quiet.MeasureWaiters(t.Context(), f, 10, time.Minute, true); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("%v, %+v", err, w)
	}
}
