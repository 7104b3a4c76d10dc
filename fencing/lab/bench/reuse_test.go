package bench_test

import (
	"testing"
	"time"

	"lockside/fencing/lab/bench"
)

// reuse has 4 workers use a name of a fake.
func reuse(t *testing.T, f *fake, cycles int, limit time.Duration) bench.Reuse {
	t.Helper()
	r := bench.MeasureReuse(t.Context(), f, 4, bench.Plan{Label: "x", Fenced: true, Time: limit, Cycles: cycles})
	if n := f.lockers.Load(); n != 0 {
		t.Errorf("%d lockers are left open", n)
	}
	if r.Wanted != cycles || r.Workers != 4 {
		t.Errorf("%d workers, %d cycles wanted", r.Workers, r.Wanted)
	}
	return r
}

func TestReuseEndsWithItsCycles(t *testing.T) {
	r := reuse(t, &fake{}, 205, time.Minute)
	if r.Cycles != 205 || len(r.Tenths) != 10 || r.Overlaps != 0 || r.NotRising != 0 || r.ErrorCount() != 0 {
		t.Fatalf("%+v", r)
	}
	if r.First() != r.Tenths[0] || r.Last() != r.Tenths[9] {
		t.Error("the first or last tenth is another one")
	}
	cycles, seconds := 0, 0.0
	for i, tenth := range r.Tenths {
		cycles, seconds = cycles+tenth.Cycles, seconds+tenth.Seconds
		if tenth.Cycles < 20 || tenth.Cycles > 21 || tenth.Rate <= 0 || tenth.Cycle.P50 < tenth.Acquire.P50 || tenth.Cycle.Max == 0 {
			t.Errorf("tenth %d: %+v", i, tenth)
		}
	}
	if cycles != r.Cycles || seconds < r.Seconds-0.001 || seconds > r.Seconds+0.001 {
		t.Errorf("the tenths have %d cycles in %gs, of %d in %gs", cycles, seconds, r.Cycles, r.Seconds)
	}
}

// TestReuseShowsANameThatSlowsDown has each cycle take longer than the one before.
func TestReuseShowsANameThatSlowsDown(t *testing.T) {
	r := reuse(t, &fake{tiring: 50 * time.Microsecond}, 100, time.Minute)
	if first, last := r.First(), r.Last(); last.Rate > first.Rate/2 || last.Cycle.P50 < 2*first.Cycle.P50 {
		t.Errorf("the first tenth is %+v, the last %+v", first, last)
	}
}

func TestReuseEndsWithItsTime(t *testing.T) {
	r := reuse(t, &fake{}, 1<<40, 200*time.Millisecond)
	if r.Cycles < 10 || len(r.Tenths) != 10 || r.Seconds > 0.2 {
		t.Errorf("%+v", r)
	}
}

func TestReuseOfANameThatNobodyGetsTwice(t *testing.T) {
	r := reuse(t, &fake{hogged: true}, 100, 200*time.Millisecond)
	if r.Cycles != 0 || len(r.Tenths) != 0 || r.First() != r.Last() || r.ErrorCount() == 0 {
		t.Errorf("%+v", r)
	}
}

func TestReuseChecks(t *testing.T) {
	if r := reuse(t, &fake{open: true}, 1000, time.Minute); r.Overlaps == 0 {
		t.Error("a lock that everybody has at once shows no overlap")
	}
	if r := reuse(t, &fake{backwards: true}, 100, time.Minute); r.NotRising == 0 {
		t.Error("falling fences are not seen")
	}
}
