package quiet

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/systems"
)

// gatherTimeout bounds the time in which all sessions have to come.
const gatherTimeout = 2 * time.Minute

// A Plan is how many sessions there are, and how long each part takes.
type Plan struct {
	Sessions int
	Quiet    time.Duration // while nobody does anything: some periods of renewal
	Probe    time.Duration // for which one more client locks, each time
	Fenced   bool
}

// Sessions is what it costs that so many hold a name each.
type Sessions struct {
	Wanted   int     `json:"sessions_wanted"`
	Sessions int     `json:"sessions"`            // that held a name
	Coming   float64 `json:"coming_seconds"`      // until all held
	Seconds  float64 `json:"quiet_seconds"`       // while nobody did anything
	Lost     int     `json:"sessions_lost"`       // that did not hold any more at the end
	Leases   int     `json:"leases"`              // that etcd had
	Renewals float64 `json:"renewals_per_second"` // as etcd counts them

	Daemon Cost `json:"daemon"` // all zero where there is none
	Etcd   Cost `json:"etcd"`

	// One more client, before they came, beside them, and once they had gone.
	Before bench.Result   `json:"one_more_before"`
	Beside bench.Result   `json:"one_more_beside"`
	After  bench.Result   `json:"one_more_after"`
	Errors map[string]int `json:"errors,omitempty"`
}

// A Cost is what servers use for sessions.
type Cost struct {
	Without servers.Usage `json:"without"`
	With    servers.Usage `json:"with"`
	CPU     float64       `json:"cpu_seconds_per_second"` // while nobody did anything
}

// MeasureSessions has sessions come, hold a name each, and go. It returns an
// error if the servers cannot be asked what they use, or ctx ends.
func MeasureSessions(ctx context.Context, system systems.Metered, plan Plan) (Sessions, error) {
	var errs tally
	s := Sessions{Wanted: plan.Sessions}
	s.Before = probe(ctx, system, plan, "before")
	without, err := system.Read(ctx)
	if err != nil {
		return s, err
	}
	c := newCrowd(system, plan.Sessions, &errs)
	defer func() { c.leave() }()
	s.Coming = c.gather(ctx).Seconds()
	s.Sessions = c.holding()
	if err := s.keepQuiet(ctx, system, without, plan.Quiet); err != nil {
		return s, err
	}
	s.Beside = probe(ctx, system, plan, "beside")
	s.Lost = s.Sessions - c.part(ctx)
	c.leave()
	c.members = nil
	s.After = probe(ctx, system, plan, "after")
	s.Errors = errs.texts
	return s, context.Cause(ctx)
}

// probe has one more client take a name and release it for a while.
func probe(ctx context.Context, system systems.System, plan Plan, when string) bench.Result {
	load := bench.Load{Workers: 1, Hosts: 1}
	sample := bench.Run(ctx, system, load, bench.Plan{Label: "one-more-" + when, Fenced: plan.Fenced, Time: plan.Probe})
	return bench.Summarize(load, []bench.Sample{sample})
}

// gather has all come and take a name of their own, and returns how long that
// took.
func (c *crowd) gather(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeoutCause(ctx, gatherTimeout, errors.New("the time for all to come was over"))
	defer cancel()
	begin := time.Now()
	many(len(c.members), func(i int) {
		if c.come(ctx, i) {
			c.take(ctx, i, fmt.Sprintf("quiet-%d", i))
		}
	})
	return time.Since(begin)
}

// keepQuiet does nothing for a while, and notes what the servers use for that.
func (s *Sessions) keepQuiet(ctx context.Context, system systems.Metered, without systems.Reading, long time.Duration) error {
	from, err := system.Read(ctx)
	if err != nil {
		return err
	}
	select {
	case <-time.After(long):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	to, err := system.Read(ctx)
	if err != nil {
		return err
	}
	s.Seconds = to.At.Sub(from.At).Seconds()
	s.Leases, s.Renewals = to.Leases, float64(to.Renewals-from.Renewals)/s.Seconds
	s.Daemon = Cost{Without: without.Daemon, With: to.Daemon, CPU: (to.Daemon.CPU - from.Daemon.CPU).Seconds() / s.Seconds}
	s.Etcd = Cost{Without: without.Etcd, With: to.Etcd, CPU: (to.Etcd.CPU - from.Etcd.CPU).Seconds() / s.Seconds}
	return nil
}

// part has all give back their names, and returns how many held them until
// then.
func (c *crowd) part(ctx context.Context) int {
	var held atomic.Int64
	many(len(c.members), func(i int) {
		if c.members[i].holds && c.give(ctx, i) {
			held.Add(1)
		}
	})
	return int(held.Load())
}

// PerSession is how much memory there is more for each session, in bytes, of
// that which is no file's.
func (s Sessions) PerSession(c Cost) float64 {
	if s.Sessions == 0 {
		return 0
	}
	return float64(c.With.Anonymous-c.Without.Anonymous) / float64(s.Sessions)
}
