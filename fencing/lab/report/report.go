// Package report shows what a run of the lab measured: as a text table, as
// JSON, as Markdown and as plots.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/machine"
	"lockside/fencing/lab/systems"
)

// A Report is all that a run has to tell.
type Report struct {
	Day      string          `json:"day"`
	Machine  machine.Machine `json:"machine"`
	Settings Settings        `json:"settings"`
	Systems  []System        `json:"systems"`
	Cells    []Cell          `json:"cells"`
	Reuse    []Reuse         `json:"reuse,omitempty"`
	Quiet    []Quiet         `json:"quiet,omitempty"`
	Waiters  []Waiters       `json:"waiters,omitempty"`
	Missing  []string        `json:"missing,omitempty"`   // what is left out, and why
	Cut      string          `json:"cut_short,omitempty"` // why the run ended before its time
}

// Settings are what was asked for.
type Settings struct {
	Warmup    time.Duration `json:"warmup_ns"`
	Time      time.Duration `json:"time_ns"`
	Rounds    int           `json:"rounds"`
	TTL       time.Duration `json:"ttl_ns"`
	PauseMin  time.Duration `json:"pause_min_ns"`
	PauseMax  time.Duration `json:"pause_max_ns"`
	ReuseTime time.Duration `json:"reuse_time_ns"`
}

// A System is one that was measured.
type System struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Version string `json:"version"`
	Fenced  bool   `json:"fenced"`
	Bare    bool   `json:"bare"`
}

// A Place is a system, and how large it was.
type Place struct {
	System  string `json:"system"`
	Members int    `json:"members"` // as asked for: one, or three that survive the loss of one
	Servers int    `json:"servers"` // that there were
}

// A Cell is one load on one system.
type Cell struct {
	Place
	bench.Result
}

// WriteJSON writes all of it, durations in nanoseconds.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("write the results as JSON: %w", err)
	}
	return nil
}

// A group is the cells that compare: those of one load.
type group struct {
	members int
	load    bench.Load
	cells   []Cell
}

// groups are the cells by load, in the order in which they were measured.
func (r *Report) groups() []group {
	var all []group
	for _, c := range r.Cells {
		load := c.load()
		at := slices.IndexFunc(all, func(g group) bool { return g.members == c.Members && g.load == load })
		if at < 0 {
			all = append(all, group{members: c.Members, load: load})
			at = len(all) - 1
		}
		all[at].cells = append(all[at].cells, c)
	}
	return all
}

func (c Cell) load() bench.Load {
	return bench.Load{Shared: c.Load != "own", Workers: c.Workers, Hosts: c.Hosts}
}

// title says what a group's workers do.
func (g group) title() string {
	what := "each its own name"
	switch {
	case g.load.Hosts > 1:
		what = fmt.Sprintf("all one name, on %d hosts", g.load.Hosts)
	case g.load.Shared:
		what = "all one name"
	}
	workers := "workers"
	if g.load.Workers == 1 {
		workers = "worker"
	}
	return fmt.Sprintf("%d %s, %s", g.load.Workers, workers, what)
}

// of is the cell of a system, if it was measured.
func (g group) of(system string) (Cell, bool) {
	at := slices.IndexFunc(g.cells, func(c Cell) bool { return c.System == system })
	if at < 0 {
		return Cell{}, false
	}
	return g.cells[at], true
}

// system is what is known of one by its name.
func (r *Report) system(name string) System {
	at := slices.IndexFunc(r.Systems, func(s System) bool { return s.Name == name })
	if at < 0 {
		return System{Name: name}
	}
	return r.Systems[at]
}

// rate compares the cycles of two systems under one load.
func (g group) rate(system, other string) string {
	a, ok := g.of(system)
	b, also := g.of(other)
	if !ok || !also {
		return none
	}
	return ratio(a.Rate, b.Rate)
}

// put is how long a Put took beside the group's load, if it was measured.
func (r *Report) put(members int) (time.Duration, bool) {
	for _, c := range r.Cells {
		if c.System == systems.Put && c.Members == members && c.Workers == 1 {
			return c.Acquire.P50, true
		}
	}
	return 0, false
}
