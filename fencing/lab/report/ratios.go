package report

import (
	"bytes"
	"fmt"

	"lockside/fencing/lab/systems"
)

// writeRatios compares lockside with the others, load by load.
func (r *Report) writeRatios(page *bytes.Buffer, members int) {
	var rows [][]string
	for _, g := range r.groupsOf(members) {
		c, ok := g.of(systems.Lockside)
		if !ok {
			continue
		}
		rows = append(rows, []string{
			g.load.String(), perSecond(c.Rate),
			g.rate(systems.Lockside, systems.Mutex), g.rate(systems.Lockside, systems.Session),
			r.bestRival(g, c), r.inPuts(g, c), hostShares(r, g, c),
		})
	}
	if len(rows) == 0 {
		return
	}
	writeTable(page, []string{"lockside", "cycles/s", "÷ " + systems.Mutex, "÷ " + systems.Session, "÷ the best of all others", "in Puts", "hosts"}, rows)
	if put, ok := r.put(members); ok {
		fmt.Fprintf(page, "A Put by one client took %s ms (p50). In Puts: the p50 of an acquire by one worker; for several on one name, the time from one hand-off to the next.\n\n", millis(put))
	}
}

// bestRival compares with the fastest system that is not ours.
func (r *Report) bestRival(g group, ours Cell) string {
	best := Cell{}
	for _, c := range g.cells {
		if s := r.system(c.System); !s.Bare && c.System != systems.Lockside && c.System != systems.Lines && c.Rate > best.Rate {
			best = c
		}
	}
	if best.System == "" {
		return none
	}
	return fmt.Sprintf("%s (%s)", ratio(ours.Rate, best.Rate), best.System)
}

// inPuts compares a time with that of a commit.
func (r *Report) inPuts(g group, c Cell) string {
	put, ok := r.put(g.members)
	switch {
	case !ok:
		return none
	case g.load.Shared && c.HandOffs > 0:
		return ratio(float64(period(c.HandOffs)), float64(put))
	case g.load.Workers == 1:
		return ratio(float64(c.Acquire.P50), float64(put))
	}
	return none
}
