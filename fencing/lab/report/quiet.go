package report

import (
	"fmt"
	"time"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/quiet"
)

// A Quiet is what many sessions of a system cost that only hold.
type Quiet struct {
	Place
	quiet.Sessions
}

func (r *Report) quietSections() []section {
	if len(r.Quiet) == 0 {
		return nil
	}
	first := r.Quiet[0]
	cost := section{
		title: fmt.Sprintf("%s sessions that only hold; members: %d", count(first.Wanted), first.Members),
		about: fmt.Sprintf("Each session holds a name of its own, on one host, and for %.0f s nobody does anything. "+
			"Renewals are those that etcd counts; 3/TTL a second, %.2f, are what one lease needs. CPU is of one processor, while all is quiet. "+
			"MiB are resident, before the sessions came and at the end of the quiet time; KiB a session are what there is more of anonymous memory.",
			first.Seconds, 3/r.Settings.TTL.Seconds()),
	}
	cost.header, cost.rows = table(r.Quiet, r.quietFields())
	lock := section{
		title:  "LOCK by one more client beside them",
		about:  "One more client takes and releases a name of its own: before they come, beside them, and once they have gone. Times are in milliseconds.",
		millis: true,
	}
	lock.header, lock.rows = table(r.probes(), r.probeFields())
	return []section{cost, lock}
}

func (r *Report) quietFields() []field[Quiet] {
	fields := []field[Quiet]{
		{"system", func(q Quiet) string { return q.System }},
		{"servers", func(q Quiet) string { return count(q.Servers) }},
		{"sessions", func(q Quiet) string { return outOf(q.Sessions.Sessions, q.Wanted) }},
		{"all came in", func(q Quiet) string { return took(q.Coming) }},
		{"lost", func(q Quiet) string { return count(q.Lost) }},
		{"leases", func(q Quiet) string { return count(q.Leases) }},
		{"renewals/s", func(q Quiet) string { return perSecond(q.Renewals) }},
		{"÷ 3/TTL", func(q Quiet) string { return perSecond(q.Renewals * r.Settings.TTL.Seconds() / 3) }},
	}
	fields = append(fields, costFields("daemon", func(q Quiet) quiet.Cost { return q.Daemon })...)
	fields = append(fields, costFields("etcd", func(q Quiet) quiet.Cost { return q.Etcd })...)
	return append(fields, field[Quiet]{"errors", func(q Quiet) string { return count(bench.Sum(q.Errors)) }})
}

// costFields are those of one kind of server. A system may have none of it.
func costFields(server string, of func(Quiet) quiet.Cost) []field[Quiet] {
	some := func(text func(q Quiet, c quiet.Cost) string) func(Quiet) string {
		return func(q Quiet) string {
			if c := of(q); c != (quiet.Cost{}) {
				return text(q, c)
			}
			return none
		}
	}
	return []field[Quiet]{
		{server + ": CPU", some(func(_ Quiet, c quiet.Cost) string { return fmt.Sprintf("%.1f%%", 100*c.CPU) })},
		{"MiB without", some(func(_ Quiet, c quiet.Cost) string { return mebibytes(c.Without.Resident) })},
		{"MiB with", some(func(_ Quiet, c quiet.Cost) string { return mebibytes(c.With.Resident) })},
		{"KiB a session", some(func(q Quiet, c quiet.Cost) string { return fmt.Sprintf("%.1f", q.PerSession(c)/(1<<10)) })},
	}
}

func mebibytes(n int64) string { return fmt.Sprintf("%.0f", float64(n)/(1<<20)) }

// A probe is one more client, at one time.
type probe struct {
	Place
	others string // sessions that there are
	bench.Result
}

func (r *Report) probes() []probe {
	var all []probe
	for _, q := range r.Quiet {
		all = append(all,
			probe{q.Place, "none", q.Before},
			probe{q.Place, count(q.Sessions.Sessions), q.Beside},
			probe{q.Place, "none any more", q.After})
	}
	return all
}

func (r *Report) probeFields() []field[probe] {
	in := func(of func(bench.Result) time.Duration) func(probe) string {
		return func(p probe) string { return millis(of(p.Result)) }
	}
	return []field[probe]{
		{"system", func(p probe) string { return p.System }},
		{"servers", func(p probe) string { return count(p.Servers) }},
		{"other sessions", func(p probe) string { return p.others }},
		{"cycles/s", func(p probe) string { return perSecond(p.Rate) }},
		{"acquire p50", in(func(b bench.Result) time.Duration { return b.Acquire.P50 })},
		{"p99", in(func(b bench.Result) time.Duration { return b.Acquire.P99 })},
		{"max", in(func(b bench.Result) time.Duration { return b.Acquire.Max })},
		{"cycle p50", in(func(b bench.Result) time.Duration { return b.Cycle.P50 })},
		{"p99", in(func(b bench.Result) time.Duration { return b.Cycle.P99 })},
		{"max", in(func(b bench.Result) time.Duration { return b.Cycle.Max })},
		{"overlaps", func(p probe) string { return count(p.Overlaps) }},
		{"fences not rising", func(p probe) string { return r.rising(p.System, p.NotRising) }},
		{"errors", func(p probe) string { return count(p.ErrorCount()) }},
	}
}

// quietNotes tell what sessions, and one more client, could not do.
func (r *Report) quietNotes() []string {
	var notes []string
	for _, q := range r.Quiet {
		where := fmt.Sprintf("%s; sessions that only hold; members: %d", q.System, q.Members)
		notes = append(notes, errorNotes(where, q.Errors)...)
		for _, p := range []bench.Result{q.Before, q.Beside, q.After} {
			notes = append(notes, errorNotes(where+"; one more client", p.Errors)...)
		}
	}
	return notes
}
