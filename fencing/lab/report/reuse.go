package report

import (
	"fmt"
	"time"

	"lockside/fencing/lab/bench"
)

// A Reuse is how one name of a system fared that was used again and again.
type Reuse struct {
	Place
	bench.Reuse
}

func (r *Report) reuseSections() []section {
	if len(r.Reuse) == 0 {
		return nil
	}
	first := r.Reuse[0]
	s := section{
		millis: true,
		title:  fmt.Sprintf("One name used %s times, %d workers; members: %d", count(first.Wanted), first.Workers, first.Members),
		about: fmt.Sprintf("The workers of one host use the name until so many cycles are done, or for %v at most, on new servers, without compaction. "+
			"The first tenth of the cycles that were done is compared with the last: 1.00 is a name that has not become slower. Times are in milliseconds.", r.Settings.ReuseTime),
	}
	s.header, s.rows = table(r.Reuse, r.reuseFields())
	return []section{s}
}

// reuseFields are what is told of each system's name. Times are in milliseconds.
func (r *Report) reuseFields() []field[Reuse] {
	return []field[Reuse]{
		{"system", func(u Reuse) string { return u.System }},
		{"servers", func(u Reuse) string { return count(u.Servers) }},
		{"cycles", func(u Reuse) string { return outOf(u.Cycles, u.Wanted) }},
		{"took", func(u Reuse) string { return took(u.Seconds) }},
		{"last ÷ first", func(u Reuse) string { return ratio(u.Last().Rate, u.First().Rate) }},
		{"first tenth: cycles/s", func(u Reuse) string { return perSecond(u.First().Rate) }},
		{"cycle p50", func(u Reuse) string { return millis(u.First().Cycle.P50) }},
		{"p99", func(u Reuse) string { return millis(u.First().Cycle.P99) }},
		{"last tenth: cycles/s", func(u Reuse) string { return perSecond(u.Last().Rate) }},
		{"cycle p50", func(u Reuse) string { return millis(u.Last().Cycle.P50) }},
		{"p99", func(u Reuse) string { return millis(u.Last().Cycle.P99) }},
		{"overlaps", func(u Reuse) string { return count(u.Overlaps) }},
		{"fences not rising", func(u Reuse) string { return r.rising(u.System, u.NotRising) }},
		{"errors", func(u Reuse) string { return count(u.ErrorCount()) }},
	}
}

// reuseNotes tell which names were not used as often as was wanted, and what
// the workers could not do.
func (r *Report) reuseNotes() []string {
	var notes []string
	for _, u := range r.Reuse {
		where := fmt.Sprintf("%s; one name used again and again; members: %d", u.System, u.Members)
		if u.Cycles < u.Wanted {
			notes = append(notes, fmt.Sprintf("%s; the time was over after %s cycles, and the tenths are of these", where, count(u.Cycles)))
		}
		notes = append(notes, errorNotes(where, u.Errors)...)
	}
	return notes
}

// outOf writes how much there was of what was wanted, if it was less.
func outOf(n, wanted int) string {
	if n >= wanted {
		return count(n)
	}
	return fmt.Sprintf("%s of %s", count(n), count(wanted))
}

// took writes how long something took that took long.
func took(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond).String()
}
