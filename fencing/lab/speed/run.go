package speed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/machine"
	"lockside/fencing/lab/report"
	"lockside/fencing/lab/systems"
)

// A run is one that is under way.
type run struct {
	Options
	log     *slog.Logger
	dir     string // made for this run
	samples map[place][]bench.Sample
	report  *report.Report
	failed  error // what systems could not do
}

// place is where in the results a sample belongs.
type place struct {
	system  string
	members int
	load    bench.Load
}

// Run measures all there is, and leaves nothing behind. When ctx ends it stops
// and returns what was measured until then, with the cause. Systems that cannot
// be started are told in the report and in the error, and the others go on.
// What goes on meanwhile is logged.
func Run(ctx context.Context, o Options, log *slog.Logger) (*report.Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Dir, "lab")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the servers: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil { // Postgres passes through as another user
		return nil, fmt.Errorf("let servers into their directory: %w", err)
	}
	r := &run{Options: o, log: log, dir: dir, samples: map[place][]bench.Sample{}}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	r.measure(ctx)
	r.collect()
	return r.report, errors.Join(r.failed, context.Cause(ctx))
}

// prepare looks at the machine and builds what is needed.
func (r *run) prepare(ctx context.Context) error {
	m, err := machine.Describe(r.dir)
	if err != nil {
		return err
	}
	r.report = &report.Report{Day: time.Now().UTC().Format(time.DateOnly), Machine: m, Settings: r.settings()}
	r.log.Info("Building etcd and locksided")
	r.Programs, err = r.Programs.Find().Build(ctx, r.dir)
	return err
}

// measure goes through all systems, as often as there are rounds, and then
// through the loads that are for one round alone.
func (r *run) measure(ctx context.Context) {
	kinds := r.present(ctx)
	if len(r.loads()) > 0 {
		for _, members := range r.Members {
			for round := range r.Rounds {
				r.loadsOf(ctx, kinds, members, round)
			}
		}
	}
	r.reuse(ctx, kinds)
	r.quiet(ctx, kinds)
	if ctx.Err() != nil {
		r.report.Cut = context.Cause(ctx).Error()
	}
}

// present are the systems whose programs are there. The others are reported.
func (r *run) present(ctx context.Context) []systems.Kind {
	var all []systems.Kind
	for _, kind := range r.kinds() {
		if err := kind.Missing(r.Programs); err != nil {
			r.report.Missing = append(r.report.Missing, err.Error())
			r.log.Warn("A system is left out", "reason", err)
			continue
		}
		version, err := kind.Version(ctx, r.Programs)
		if err != nil {
			r.fail(kind, 0, err)
			continue
		}
		r.report.Systems = append(r.report.Systems, report.System{
			Name: kind.Name, About: kind.About, Version: version, Fenced: kind.Fenced, Bare: kind.Bare,
		})
		all = append(all, kind)
	}
	return all
}

// fail notes that a system could not be measured. The report names no paths.
func (r *run) fail(kind systems.Kind, members int, err error) {
	r.log.Error("A system failed", "system", kind.Name, "members", members, "err", err)
	r.failed = errors.Join(r.failed, fmt.Errorf("%s: %w", kind.Name, err))
	first, _, _ := strings.Cut(err.Error(), "\n")
	r.report.Missing = append(r.report.Missing,
		fmt.Sprintf("%s failed (members: %d): %s", kind.Name, members, r.hide(first)))
}

func (r *run) hide(text string) string { return strings.ReplaceAll(text, r.dir, "…") }

// loadsOf measures all loads on each system.
func (r *run) loadsOf(ctx context.Context, kinds []systems.Kind, members, round int) {
	r.onEach(ctx, kinds, members, 0, func(kind systems.Kind, system systems.System) error {
		for _, load := range r.loads() {
			if suits(kind, load) && ctx.Err() == nil {
				r.load(ctx, kind, system, place{kind.Name, members, load}, round)
			}
		}
		return nil
	})
}

// load measures one load. A sample that ctx has cut short is dropped.
func (r *run) load(ctx context.Context, kind systems.Kind, system systems.System, at place, round int) {
	sample := bench.Run(ctx, system, at.load, bench.Plan{
		Label: at.load.String(), Fenced: kind.Fenced, Warmup: r.Warmup, Time: r.Time,
	})
	if ctx.Err() != nil {
		return
	}
	r.samples[at] = append(r.samples[at], sample)
	result := bench.Summarize(at.load, []bench.Sample{sample})
	r.log.Info("Measured", "system", at.system, "members", at.members, "load", at.load, "round", round+1,
		"cycles/s", int(result.Rate), "acquire", result.Acquire.P50,
		"overlaps", result.Overlaps, "notRising", result.NotRising, "errors", result.ErrorCount())
}

// collect puts the cells into the report, load by load.
func (r *run) collect() {
	for _, members := range r.Members {
		for _, load := range r.loads() {
			for _, kind := range r.kinds() {
				samples := r.samples[place{kind.Name, members, load}]
				if len(samples) == 0 {
					continue
				}
				r.report.Cells = append(r.report.Cells, report.Cell{
					Place:  report.Place{System: kind.Name, Members: members, Servers: kind.Servers[members]},
					Result: bench.Summarize(load, samples),
				})
			}
		}
	}
}
