package bench

import (
	"context"
	"slices"
	"time"

	"lockside/fencing/lab/systems"
)

// A Reuse is how a name fared that was used again and again: whether the last
// of its cycles were as fast as the first.
type Reuse struct {
	Workers int     `json:"workers"`
	Wanted  int     `json:"cycles_wanted"`
	Cycles  int     `json:"cycles"`           // fewer if the time was over before
	Seconds float64 `json:"seconds"`          // that they took
	Tenths  []Tenth `json:"tenths,omitempty"` // of the cycles, in order; none of fewer than ten
	Counts
	Errors map[string]int `json:"errors,omitempty"`
}

// A Tenth is a part of the cycles, by when they ended.
type Tenth struct {
	Cycles  int     `json:"cycles"`
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"cycles_per_second"`
	Cycle   Spread  `json:"cycle"`
	Acquire Spread  `json:"acquire"`
}

// MeasureReuse has workers of one host use the plan's label as a name until
// its cycles are done or its time is over. They are ready when the first cycle
// begins, and every use of the name counts: there is no warm-up.
func MeasureReuse(ctx context.Context, system systems.System, workers int, plan Plan) Reuse {
	plan.Warmup = 0
	load := Load{Shared: true, Workers: workers, Hosts: 1}
	all := crew(system, load, plan)
	begin := work(ctx, all, plan)
	sample := collect(all, load, plan)
	r := Reuse{Workers: workers, Wanted: plan.Cycles, Counts: sample.Counts, Errors: sample.Errors}
	r.divide(begin, inOrder(all))
	return r
}

// inOrder are the cycles of all workers, by when they ended.
func inOrder(workers []*worker) []cycle {
	var all []cycle
	for _, w := range workers {
		all = append(all, w.cycles...)
	}
	slices.SortFunc(all, func(a, b cycle) int { return a.end.Compare(b.end) })
	return all
}

// divide fills in what the cycles say.
func (r *Reuse) divide(begin time.Time, all []cycle) {
	r.Cycles = len(all)
	if r.Cycles < 10 {
		return
	}
	r.Seconds = all[len(all)-1].end.Sub(begin).Seconds()
	for i := range 10 {
		part := all[i*len(all)/10 : (i+1)*len(all)/10]
		r.Tenths = append(r.Tenths, tenth(begin, part))
		begin = part[len(part)-1].end
	}
}

// tenth sums up cycles that followed a moment.
func tenth(begin time.Time, part []cycle) Tenth {
	var cycles, acquires Times
	for _, c := range part {
		cycles, acquires = append(cycles, c.whole), append(acquires, c.acquire)
	}
	seconds := part[len(part)-1].end.Sub(begin).Seconds()
	return Tenth{
		Cycles: len(part), Seconds: seconds, Rate: float64(len(part)) / seconds,
		Cycle: cycles.Spread(), Acquire: acquires.Spread(),
	}
}

// First is the first tenth, empty if there is none.
func (r Reuse) First() Tenth { return r.tenth(0) }

// Last is the last tenth, empty if there is none.
func (r Reuse) Last() Tenth { return r.tenth(len(r.Tenths) - 1) }

func (r Reuse) tenth(i int) Tenth {
	if len(r.Tenths) == 0 {
		return Tenth{}
	}
	return r.Tenths[i]
}

// ErrorCount is how many errors the workers had.
func (r Reuse) ErrorCount() int { return Sum(r.Errors) }
