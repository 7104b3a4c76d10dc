package report

import (
	"fmt"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/quiet"
)

// A Waiters is what became of many that waited for one name of a system.
type Waiters struct {
	Place
	quiet.Waiters
}

func (r *Report) waitersSections() []section {
	if len(r.Waiters) == 0 {
		return nil
	}
	first := r.Waiters[0]
	s := section{
		title: fmt.Sprintf("%s waiters for one name; members: %d", count(first.Wanted), first.Members),
		about: "All wait on one host behind a holder. It lets go, and each has the name once and gives it back. The time is from that until the last has given it back.",
	}
	s.header, s.rows = table(r.Waiters, []field[Waiters]{
		{"system", func(w Waiters) string { return w.System }},
		{"servers", func(w Waiters) string { return count(w.Servers) }},
		{"waiters", func(w Waiters) string { return outOf(w.Waiters.Waiters, w.Wanted) }},
		{"granted", func(w Waiters) string { return outOf(w.Granted, w.Wanted) }},
		{"took", func(w Waiters) string { return took(w.Seconds) }},
		{"hand-offs/s", func(w Waiters) string { return perSecond(w.Rate) }},
		{"overlaps", func(w Waiters) string { return count(w.Overlaps) }},
		{"fences not rising", func(w Waiters) string { return r.rising(w.System, w.NotRising) }},
		{"errors", func(w Waiters) string { return count(bench.Sum(w.Errors)) }},
	})
	return []section{s}
}

// waitersNotes tell what waiters could not do.
func (r *Report) waitersNotes() []string {
	var notes []string
	for _, w := range r.Waiters {
		notes = append(notes, errorNotes(fmt.Sprintf("%s; waiters for one name; members: %d", w.System, w.Members), w.Errors)...)
	}
	return notes
}
