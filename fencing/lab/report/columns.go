package report

import "lockside/fencing/lab/systems"

// A column is one thing told of each cell.
type column struct {
	title string
	text  func(r *Report, g group, c Cell) string
}

// columns are those of the tables of single loads, in text and in Markdown.
// Times are in milliseconds.
func columns() []column {
	return []column{
		{"system", func(_ *Report, _ group, c Cell) string { return c.System }},
		{"servers", func(_ *Report, _ group, c Cell) string { return count(c.Servers) }},
		{"cycles/s", func(_ *Report, _ group, c Cell) string { return perSecond(c.Rate) }},
		{"÷ Mutex", func(_ *Report, g group, c Cell) string { return g.rate(c.System, systems.Mutex) }},
		{"÷ session", func(_ *Report, g group, c Cell) string { return g.rate(c.System, systems.Session) }},
		{"hand-offs/s", handOffs},
		{"cycle p50", func(_ *Report, _ group, c Cell) string { return millis(c.Cycle.P50) }},
		{"p99", func(_ *Report, _ group, c Cell) string { return millis(c.Cycle.P99) }},
		{"max", func(_ *Report, _ group, c Cell) string { return millis(c.Cycle.Max) }},
		{"acquire p50", func(_ *Report, _ group, c Cell) string { return millis(c.Acquire.P50) }},
		{"p99", func(_ *Report, _ group, c Cell) string { return millis(c.Acquire.P99) }},
		{"max", func(_ *Report, _ group, c Cell) string { return millis(c.Acquire.Max) }},
		{"least–most", fairness},
		{"hosts", hostShares},
		{"overlaps", overlaps},
		{"fences not rising", notRising},
		{"errors", func(_ *Report, _ group, c Cell) string { return count(c.ErrorCount()) }},
	}
}

func handOffs(_ *Report, g group, c Cell) string {
	if !g.load.Shared {
		return none
	}
	return perSecond(c.HandOffs)
}

// fairness is what the worker with the fewest cycles had, and that with the
// most, where 1 would be fair.
func fairness(_ *Report, g group, c Cell) string {
	if g.load.Workers == 1 {
		return none
	}
	return ratio(c.Least, 1) + "–" + ratio(c.Most, 1)
}

func hostShares(_ *Report, g group, c Cell) string {
	if g.load.Hosts == 1 {
		return none
	}
	return percent(c.HostShare)
}

func overlaps(r *Report, _ group, c Cell) string {
	if r.system(c.System).Bare {
		return none
	}
	return count(c.Overlaps)
}

func notRising(r *Report, _ group, c Cell) string { return r.rising(c.System, c.NotRising) }

// rising tells of a system's fences how many were not greater than those before.
func (r *Report) rising(system string, notRising int) string {
	if !r.system(system).Fenced {
		return "no fence"
	}
	return count(notRising)
}
