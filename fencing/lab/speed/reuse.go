package speed

import (
	"context"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/report"
	"lockside/fencing/lab/systems"
)

// reuse has workers of one host use a single name, once with each system, in
// the first size of cluster.
func (r *run) reuse(ctx context.Context, kinds []systems.Kind) {
	if r.Reuse == 0 || len(r.Members) == 0 {
		return
	}
	members := r.Members[0]
	r.onEach(ctx, locks(kinds), members, 0, func(kind systems.Kind, system systems.System) error {
		result := bench.MeasureReuse(ctx, system, r.ReuseWorkers, bench.Plan{
			Label: "reuse", Fenced: kind.Fenced, Time: r.ReuseTime, Cycles: r.Reuse,
		})
		if ctx.Err() != nil {
			return nil // it is of less time than others had
		}
		r.log.Info("Measured reuse", "system", kind.Name, "members", members, "cycles", result.Cycles,
			"first/s", int(result.First().Rate), "last/s", int(result.Last().Rate),
			"overlaps", result.Overlaps, "notRising", result.NotRising, "errors", result.ErrorCount())
		r.report.Reuse = append(r.report.Reuse, report.Reuse{
			Place: report.Place{System: kind.Name, Members: members, Servers: kind.Servers[members]}, Reuse: result,
		})
		return nil
	})
}
