package safety

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"lockside/fencing/lab/servers"
)

// A run is one that goes on.
type run struct {
	Options
	log      *slog.Logger
	dir      string // made for this run
	resource *servers.Postgres
	stepped  servers.Programs // those whose clocks can be stepped
	began    time.Time

	mu      sync.Mutex // guards what follows
	results map[int]Result
}

// Run plays all stories that are wanted, and leaves nothing behind. A promise that
// was not kept is told in the report; the error is for what could not be done at
// all, and for the end of ctx.
func Run(ctx context.Context, o Options, log *slog.Logger) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.Programs = o.Programs.Find()
	if lacks := lacksPostgres(o.Programs); lacks != "" {
		return nil, fmt.Errorf("the resource is in Postgres: %s", lacks)
	}
	dir, err := os.MkdirTemp(o.Dir, "safety")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the servers: %w", err)
	}
	if !o.Keep {
		defer os.RemoveAll(dir)
	}
	if err := os.Chmod(dir, 0o711); err != nil { // Postgres runs as another user
		return nil, fmt.Errorf("make a directory for the servers: %w", err)
	}
	r := &run{Options: o, log: log, dir: dir, results: map[int]Result{}, began: time.Now()}
	if err := r.build(ctx); err != nil {
		return nil, err
	}
	if r.resource, err = startResource(ctx, dir, r.Programs); err != nil {
		return nil, err
	}
	defer r.resource.Stop()
	return r.all(ctx)
}

// build makes what is built from sources.
func (r *run) build(ctx context.Context) (err error) {
	r.log.Info("Building etcd and locksided")
	if r.Programs, err = r.Programs.Build(ctx, r.dir); err != nil {
		return err
	}
	if !slices.ContainsFunc(r.stories(nil), func(p planned) bool { return p.scenario == Clock && p.kind.lacks(r.Programs) == "" && p.kind.stepped() }) {
		return nil
	}
	r.log.Info("Building them with a clock that can be stepped")
	dir, err := os.MkdirTemp(r.dir, "stepped")
	if err != nil {
		return fmt.Errorf("make a directory for programs: %w", err)
	}
	r.stepped, err = r.Programs.BuildStepped(ctx, dir)
	return err
}

// A planned story, or a reason why there is none.
type planned struct {
	kind     kind
	scenario string
	checked  bool
	reason   string
}

// stories are all of them, in the order of the table. Those of systems that are
// missing have that for a reason.
func (r *run) stories(missing map[string]string) []planned {
	var all []planned
	for _, k := range r.kinds() {
		for _, s := range r.scenarios() {
			for _, checked := range []bool{false, true} {
				if r.wants(k, s.Name, checked) {
					all = append(all, planned{k, s.Name, checked, cmp.Or(missing[k.Name], r.reason(k, s.Name, checked))})
				}
			}
		}
	}
	return all
}

// reason says why a story is not played.
func (r *run) reason(k kind, scenario string, checked bool) string {
	switch {
	case k.reasons[scenario] != "":
		return k.reasons[scenario]
	case checked && !k.fenced:
		return noFence
	case scenario == Clock && !k.stepped() && r.Programs.Faketime == "":
		return "There is no libfaketime; apt-get install faketime."
	}
	return ""
}

// stepped reports whether its servers are built with a clock of the lab's.
func (k kind) stepped() bool { return slices.Contains([]string{Lockside, etcdKind().Name}, k.Name) }

// all plays the stories, then measures the systems while nothing else runs.
func (r *run) all(ctx context.Context) (*Report, error) {
	report := &Report{Day: r.began.Format(time.DateOnly), TTL: r.TTL, Scenarios: r.scenarios()}
	missing := map[string]string{}
	for _, k := range r.kinds() {
		if lacks := k.lacks(r.Programs); lacks != "" {
			missing[k.Name] = "Left out: " + lacks + "."
			report.Missing = append(report.Missing, fmt.Sprintf("%s is left out: %s", k.Name, lacks))
		}
	}
	stories := r.stories(missing)
	err := r.playAll(ctx, stories)
	for i := range stories {
		if result, ok := r.results[i]; ok {
			report.Results = append(report.Results, result)
		}
	}
	for i, k := range r.kinds() {
		system := k.System
		if missing[k.Name] == "" && ctx.Err() == nil {
			var failed error
			system, failed = r.measure(ctx, k, i)
			err = errors.Join(err, failed)
		}
		report.Systems = append(report.Systems, system)
	}
	report.Took = time.Since(r.began).Round(time.Second)
	report.Broken = broken(report.Results)
	return report, err
}

// playAll plays so many at a time.
func (r *run) playAll(ctx context.Context, stories []planned) error {
	numbers := make(chan int)
	failures := make([]error, r.Parallel)
	var players sync.WaitGroup
	for i := range r.Parallel {
		players.Go(func() {
			for number := range numbers {
				if err := r.tell(ctx, number, stories[number]); err != nil {
					failures[i] = errors.Join(failures[i], err)
				}
			}
		})
	}
	for number := range stories {
		if ctx.Err() == nil {
			numbers <- number
		}
	}
	close(numbers)
	players.Wait()
	return errors.Join(append(failures, context.Cause(ctx))...)
}

// tell plays one and keeps its result.
func (r *run) tell(ctx context.Context, number int, p planned) error {
	result := Result{System: p.kind.Name, Scenario: p.scenario, Checked: p.checked, Reason: p.reason}
	var err error
	if p.reason == "" {
		s := &story{
			stage: r.stage(number, p.scenario), kind: p.kind, checked: p.checked,
			row: fmt.Sprintf("row%d", number), resource: r.resource.URL, result: result,
		}
		s.result.Setting = p.kind.settings[p.scenario]
		err = s.play(ctx)
		result = s.result
		if err != nil {
			result = Result{System: result.System, Scenario: result.Scenario, Checked: result.Checked, Reason: "It could not be played in this run."}
		} else {
			r.log.Info("Played", "system", p.kind.Name, "scenario", p.scenario, "checked", p.checked, "seen", result.word())
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results[number] = result
	if err != nil {
		return fmt.Errorf("%s, %s, checked: %v: %w", p.kind.Name, p.scenario, p.checked, err)
	}
	return nil
}

func (r *run) stage(number int, scenario string) *stage {
	s := &stage{
		programs: r.Programs, dir: directory(r.dir, number), ttl: r.TTL, scenario: scenario, members: 3, trace: newTrace(),
	}
	if scenario == Clock {
		s.programs.Etcd, s.programs.Locksided = r.stepped.Etcd, r.stepped.Locksided
	}
	return s
}

// measure asks for a system's version, and measures it while all is calm.
func (r *run) measure(ctx context.Context, k kind, number int) (system System, err error) {
	system = k.System
	if system.Version, err = k.version(ctx, r.Programs); err != nil {
		return system, err
	}
	if k.variant {
		return system, nil
	}
	if system.Calm, err = k.calm(ctx, r.stage(1000+number, "")); err != nil {
		return system, fmt.Errorf("measure %s while all is calm: %w", k.Name, err)
	}
	r.log.Info("Measured", "system", k.Name, "acquire", system.Calm.Acquire, "grants", system.Calm.Grants, "fences_not_rising", system.Calm.NotRising)
	return system, nil
}
