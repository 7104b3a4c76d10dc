package bench

import (
	"context"
	"sync"
	"time"

	"lockside/fencing/lab/systems"
)

// A Plan is how long a load runs, and under which names.
type Plan struct {
	Label  string        // of all names; never the same twice on one system
	Fenced bool          // fences are there, and checked
	Warmup time.Duration // before anything is measured
	Time   time.Duration // while it is measured
	Cycles int           // that end it before its time; 0 for none
}

// A Sample is one run of a load on one system.
type Sample struct {
	Time       time.Duration
	Cycles     Times
	Acquires   Times
	HandOffs   int // grants of a name that another worker had before
	PerWorker  []int
	PerHost    []int
	Unfinished time.Duration // the longest wait that the end cut short
	Counts
	Errors map[string]int // how often each text
}

// Run opens a locker for each worker, has it take a name that nobody else wants,
// lets all begin at once, and closes the lockers at the end. A worker that
// cannot connect is counted as an error, and tries again. When ctx ends the
// sample is of less time, and worth nothing.
func Run(ctx context.Context, system systems.System, load Load, plan Plan) Sample {
	workers := crew(system, load, plan)
	work(ctx, workers, plan)
	return collect(workers, load, plan)
}

// work has the workers do what is planned, and returns when they began.
func work(ctx context.Context, workers []*worker, plan Plan) time.Time {
	each(workers, func(w *worker) { w.prepare(ctx) })
	begin, window := time.Now(), workers[0].window
	window.from = begin.Add(plan.Warmup)
	window.to = window.from.Add(plan.Time)
	during, cancel := context.WithDeadline(ctx, window.to)
	defer cancel()
	window.most, window.full = int64(plan.Cycles), cancel
	each(workers, func(w *worker) { w.run(during) })
	each(workers, (*worker).close)
	return begin
}

// crew makes the workers, which share a window, and a checker if they share a
// name.
func crew(system systems.System, load Load, plan Plan) []*worker {
	all := make([]*worker, load.Workers)
	window, checker := &window{}, NewChecker(plan.Fenced)
	for i := range all {
		if !load.Shared {
			checker = NewChecker(plan.Fenced)
		}
		all[i] = &worker{
			Worker: systems.Worker{Host: i * load.Hosts / load.Workers, Number: i},
			id:     i + 1, name: load.name(plan.Label, i), checker: checker,
			open: system.Open, window: window,
		}
	}
	return all
}

// each does something with all workers at once.
func each(workers []*worker, do func(*worker)) {
	var wg sync.WaitGroup
	for _, w := range workers {
		wg.Go(func() { do(w) })
	}
	wg.Wait()
}

// collect sums up what the workers saw.
func collect(workers []*worker, load Load, plan Plan) Sample {
	s := Sample{Time: plan.Time, PerHost: make([]int, load.Hosts), Errors: map[string]int{}}
	seen := map[*Checker]bool{}
	for _, w := range workers {
		for _, c := range w.cycles {
			s.Cycles, s.Acquires = append(s.Cycles, c.whole), append(s.Acquires, c.acquire)
		}
		s.HandOffs += w.handOffs
		s.PerWorker = append(s.PerWorker, len(w.cycles))
		s.PerHost[w.Host] += len(w.cycles)
		s.Unfinished = max(s.Unfinished, w.unfinished)
		for text, n := range w.errors {
			s.Errors[text] += n
		}
		if !seen[w.checker] {
			s.Counts.Add(w.checker.Counts())
			seen[w.checker] = true
		}
	}
	return s
}
