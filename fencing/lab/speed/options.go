package speed

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/report"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/systems"
)

// Options say what to measure.
type Options struct {
	Systems     []string // names, or none for all
	Members     []int    // 1, 3 or both
	Loads       []string // own, one, hosts
	Workers     []int    // of own and one
	HostWorkers []int    // of hosts, on all hosts together
	Warmup      time.Duration
	Time        time.Duration
	Rounds      int
	TTL         time.Duration
	Pause       systems.Pause

	Reuse        int           // cycles for which one name is used, or 0 to leave that out
	ReuseWorkers int           // who use it
	ReuseTime    time.Duration // the most that it may take with each system

	Quiet     int           // sessions that only hold, or 0 to leave that out
	QuietTime time.Duration // for which one more client locks before, beside and after them
	Waiters   int           // that wait for one name, or 0 to leave that out

	Dir      string // where the servers' files go for the time of the run
	Programs servers.Programs
}

// Check says what is wrong with the options.
func (o Options) Check() error {
	var all []string
	for _, kind := range systems.Kinds() {
		all = append(all, kind.Name)
	}
	return errors.Join(
		each("system", o.Systems, all),
		each("load", o.Loads, []string{"own", "one", "hosts"}),
		each("number of members", o.Members, []int{1, 3}),
		o.checkNumbers(),
	)
}

func (o Options) checkNumbers() error {
	for _, n := range slices.Concat(o.Workers, o.HostWorkers, []int{o.ReuseWorkers}) {
		if n < 1 || n > 1000 {
			return fmt.Errorf("%d workers: give 1 to 1000", n)
		}
	}
	switch {
	case o.Rounds < 1:
		return fmt.Errorf("%d rounds: give 1 or more", o.Rounds)
	case o.Time <= 0 || o.Warmup < 0:
		return errors.New("give a load some time")
	case o.TTL < 3*time.Second || o.TTL%time.Second != 0:
		return fmt.Errorf("a TTL of %v: give whole seconds, 3s or more", o.TTL)
	case o.Reuse < 0 || o.Reuse > 0 && o.Reuse < 100:
		return fmt.Errorf("a reuse of %d cycles: give 100 or more, or 0 for none", o.Reuse)
	case o.ReuseTime <= 0:
		return fmt.Errorf("a reuse within %v: give it some time", o.ReuseTime)
	case o.Quiet < 0 || o.Waiters < 0 || o.Quiet > 1e6 || o.Waiters > 1e6:
		return fmt.Errorf("%d quiet sessions and %d waiters: give up to a million, or 0 for none", o.Quiet, o.Waiters)
	case o.QuietTime <= 0:
		return fmt.Errorf("one more client for %v: give it some time", o.QuietTime)
	case o.Pause.Min < 0 || o.Pause.Max < o.Pause.Min:
		return fmt.Errorf("a pause of %v to %v: the second may not be less", o.Pause.Min, o.Pause.Max)
	}
	return nil
}

// each holds that all values are among those there are.
func each[T comparable](what string, values, known []T) error {
	for _, value := range values {
		if !slices.Contains(known, value) {
			return fmt.Errorf("no %s %v: there are %v", what, value, known)
		}
	}
	return nil
}

// kinds are the systems asked for.
func (o Options) kinds() []systems.Kind {
	return slices.DeleteFunc(systems.Kinds(), func(k systems.Kind) bool {
		return len(o.Systems) > 0 && !slices.Contains(o.Systems, k.Name)
	})
}

// loads are those asked for, in the order in which they are measured and shown.
// One worker with a name that all share is one with its own, so there are two.
func (o Options) loads() []bench.Load {
	var all []bench.Load
	if slices.Contains(o.Loads, "own") {
		for _, n := range o.Workers {
			all = append(all, bench.Load{Workers: n, Hosts: 1})
		}
	}
	if slices.Contains(o.Loads, "one") {
		for _, n := range o.Workers {
			all = append(all, bench.Load{Shared: true, Workers: max(n, 2), Hosts: 1})
		}
	}
	if slices.Contains(o.Loads, "hosts") {
		for _, n := range o.HostWorkers {
			all = append(all, bench.Load{Shared: true, Workers: max(n, 2), Hosts: 2})
		}
	}
	return slices.Compact(all)
}

// suits reports whether a load makes sense for a system.
func suits(kind systems.Kind, load bench.Load) bool {
	return !kind.Bare || load.Workers == 1
}

// locks are the systems that are more than a measure.
func locks(kinds []systems.Kind) []systems.Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k systems.Kind) bool { return k.Bare })
}

func (o Options) settings() report.Settings {
	return report.Settings{
		Warmup: o.Warmup, Time: o.Time, Rounds: o.Rounds, TTL: o.TTL,
		PauseMin: o.Pause.Min, PauseMax: o.Pause.Max, ReuseTime: o.ReuseTime,
	}
}
