package bench_test

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lockside/fencing/lab/bench"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run has 8 workers use a fake for a moment.
func run(t *testing.T, f *fake, load bench.Load) bench.Result {
	t.Helper()
	load.Workers, load.Hosts = 8, max(load.Hosts, 1)
	s := bench.Run(t.Context(), f, load, bench.Plan{
		Label: "x", Fenced: true, Warmup: 10 * time.Millisecond, Time: 200 * time.Millisecond,
	})
	if n := f.lockers.Load(); n != 0 {
		t.Errorf("%d lockers are left open", n)
	}
	return bench.Summarize(load, []bench.Sample{s})
}

func TestRunOfASoundLock(t *testing.T) {
	for _, load := range []bench.Load{{}, {Shared: true}, {Shared: true, Hosts: 2}} {
		r := run(t, &fake{}, load)
		if r.Overlaps != 0 || r.NotRising != 0 || r.ErrorCount() != 0 {
			t.Errorf("%s: %d overlaps, %d fences not rising, errors %v", r.Load, r.Overlaps, r.NotRising, r.Errors)
		}
		if r.Cycles == 0 || r.Rate != float64(r.Cycles)/0.2 {
			t.Errorf("%s: %d cycles, %g a second", r.Load, r.Cycles, r.Rate)
		}
		if (r.HandOffs > 0) != load.Shared {
			t.Errorf("%s: %g hand-offs a second", r.Load, r.HandOffs)
		}
		if r.Least > 1 || r.Most < 1 {
			t.Errorf("%s: workers between %g and %g of a fair share", r.Load, r.Least, r.Most)
		}
		if r.Acquire.P50 > r.Cycle.P50 || r.Cycle.P50 > r.Cycle.Max {
			t.Errorf("%s: acquire %+v, cycle %+v", r.Load, r.Acquire, r.Cycle)
		}
		if load.Hosts == 2 && (len(r.HostShare) != 2 || r.HostShare[0]+r.HostShare[1] < 0.999) {
			t.Errorf("shares of hosts %v", r.HostShare)
		}
	}
}

func TestRunSeesTwoHolders(t *testing.T) {
	if r := run(t, &fake{open: true}, bench.Load{Shared: true}); r.Overlaps == 0 {
		t.Error("a lock that everybody has at once shows no overlap")
	}
}

func TestRunSeesFallingFences(t *testing.T) {
	r := run(t, &fake{backwards: true}, bench.Load{Shared: true})
	if r.NotRising == 0 {
		t.Error("falling fences are not seen")
	}
	if r.Overlaps != 0 {
		t.Errorf("%d overlaps of a lock that excludes", r.Overlaps)
	}
}

func TestRunCountsErrors(t *testing.T) {
	r := run(t, &fake{failing: 5}, bench.Load{})
	if r.Errors["out of order"] == 0 {
		t.Errorf("errors %v", r.Errors)
	}
}

func TestRunShowsAStarvedWorker(t *testing.T) {
	r := run(t, &fake{hogged: true}, bench.Load{Shared: true})
	if r.Cycles != 0 || r.Errors["kept"] != 8+1 { // the first round of each, and the one who got the name
		t.Errorf("%d cycles, errors %v", r.Cycles, r.Errors)
	}
	if r.Acquire.Max < 200*time.Millisecond {
		t.Errorf("the longest wait is %v, though nobody got the name", r.Acquire.Max)
	}
}

func TestSummarizeJoinsRounds(t *testing.T) {
	load := bench.Load{Shared: true, Workers: 2, Hosts: 2}
	r := bench.Summarize(load, []bench.Sample{
		{Time: time.Second, Cycles: bench.Times{4, 2}, Acquires: bench.Times{1, 1}, HandOffs: 1, PerWorker: []int{2, 0}, PerHost: []int{2, 0}, Counts: bench.Counts{Overlaps: 1}},
		{Time: time.Second, Cycles: bench.Times{8, 6}, Acquires: bench.Times{3, 1}, HandOffs: 2, PerWorker: []int{1, 1}, PerHost: []int{1, 1}, Unfinished: 5, Counts: bench.Counts{NotRising: 2}, Errors: map[string]int{"e": 1}},
	})
	if r.Cycles != 4 || r.Rate != 2 || !slices.Equal(r.Rates, []float64{2, 2}) || r.HandOffs != 1.5 {
		t.Errorf("rates: %+v", r)
	}
	if r.Cycle != (bench.Spread{P50: 4, P99: 8, Max: 8}) || r.Acquire != (bench.Spread{P50: 1, P99: 3, Max: 5}) {
		t.Errorf("spreads: cycle %+v, acquire %+v", r.Cycle, r.Acquire)
	}
	if r.Least != 0.5 || r.Most != 1.5 || !slices.Equal(r.HostShare, []float64{0.75, 0.25}) {
		t.Errorf("shares: %g, %g, %v", r.Least, r.Most, r.HostShare)
	}
	if r.Overlaps != 1 || r.NotRising != 2 || r.ErrorCount() != 1 {
		t.Errorf("counts: %+v", r)
	}
}
