package safety

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A fact is one thing told of a system: what is said of it, and what was seen.
type fact struct{ said, seen string }

// A column of the comparison has a fact for each system.
type column struct {
	title string
	fact  func(r *Report, s System, n *notes) fact
}

func columns() []column {
	return []column{
		{"fault tolerance", faultTolerance},
		{"clocks", clocks},
		{"fences", fences},
		{"correct under a pause, no check", pause(false)},
		{"with check", pause(true)},
		{"acquire, ms", acquire},
		{"take-over, s", takeOver},
	}
}

func faultTolerance(r *Report, s System, n *notes) fact {
	var seen []string
	for _, scenario := range []string{Partition, Failover, LostDisk} {
		seen = append(seen, scenario+": "+n.cell(r.result(s.Name, scenario, false)))
	}
	return fact{s.Tolerates, strings.Join(seen, "; ")}
}

func clocks(r *Report, s System, n *notes) fact {
	return fact{s.Clocks, "one stepped: " + n.cell(r.result(s.Name, Clock, false))}
}

// fences tells whether they rise: to several clients who want one name at once,
// and from A to B in each scenario.
func fences(r *Report, s System, n *notes) fact {
	var stories, had int
	var not []string
	for _, one := range r.Results {
		if one.System != s.Name || one.Reason != "" {
			continue
		}
		stories++
		if one.FenceA != 0 || one.FenceB != 0 {
			had++
		}
		if one.FenceA != 0 && one.Granted && !one.Rising() && !slices.Contains(not, one.Scenario) {
			not = append(not, one.Scenario)
		}
	}
	switch {
	case stories == 0:
		return fact{s.Fence, none + n.mark("No story of this system was seen.")}
	case had == 0:
		return fact{s.Fence, "none"}
	}
	if s.Calm.NotRising > 0 {
		not = append(not, fmt.Sprintf("%d of %d grants when nothing strikes", s.Calm.NotRising, s.Calm.Grants))
	}
	if len(not) > 0 {
		return fact{s.Fence, "not rising: " + strings.Join(not, ", ")}
	}
	return fact{s.Fence, "rising"}
}

// pause tells whether a holder that is paused past its TTL does harm.
func pause(checked bool) func(*Report, System, *notes) fact {
	return func(r *Report, s System, n *notes) fact {
		result := r.result(s.Name, Pause, checked)
		switch {
		case result.Reason != "":
			return fact{seen: n.cell(result)}
		case result.correct():
			return fact{seen: "yes, " + n.cell(result)}
		}
		return fact{seen: "no, " + n.cell(result)}
	}
}

func acquire(_ *Report, s System, n *notes) fact {
	if s.Calm.Acquire == 0 {
		return fact{seen: none + n.mark("Not measured in this run.")}
	}
	return fact{seen: millis(s.Calm.Acquire)}
}

// takeOver is how long the lock of a paused holder stays closed.
func takeOver(r *Report, s System, n *notes) fact {
	result := r.result(s.Name, Pause, false)
	switch {
	case result.Reason != "":
		return fact{seen: n.cell(result)}
	case result.TakeOver == 0:
		return fact{seen: none + n.mark("B was not granted the lock.")}
	}
	return fact{seen: seconds(result.TakeOver)}
}

// millis writes a time in milliseconds.
func millis(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1e3) }

// seconds writes a time in seconds.
func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }
