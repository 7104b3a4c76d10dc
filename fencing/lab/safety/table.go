package safety

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A grid is a table of words, with the notes to it.
type grid struct {
	header []string
	rows   [][]string
	notes
}

// comparison has a row for each system, and a column for each thing to compare.
// What is said of a system beside what was seen is for pages.
func (r *Report) comparison(page bool) grid {
	g := grid{header: []string{"system"}}
	for _, c := range columns() {
		g.header = append(g.header, c.title)
	}
	for _, system := range r.Systems {
		row := []string{system.Name}
		for _, c := range columns() {
			f := c.fact(r, system, &g.notes)
			if page && f.said != "" {
				f.seen = f.said + "<br>*" + f.seen + "*"
			}
			row = append(row, f.seen)
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// outcomes has two rows for each system, without the check and with it, and a
// column for each scenario.
func (r *Report) outcomes() grid {
	g := grid{header: []string{"system", "check"}}
	for _, scenario := range r.Scenarios {
		g.header = append(g.header, scenario.Name)
	}
	for _, system := range r.Systems {
		for _, checked := range []bool{false, true} {
			row := []string{system.Name, yesNo(checked)}
			for _, scenario := range r.Scenarios {
				row = append(row, g.cell(r.result(system.Name, scenario.Name, checked)))
			}
			g.rows = append(g.rows, row)
		}
	}
	return g
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// WriteTable writes the comparison, and what became of every story, for a
// terminal.
func (r *Report) WriteTable(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\nsafety; TTL: %v; took: %v\n", r.TTL, r.Took.Round(time.Second))
	writeGrid(out, "comparison, as measured", r.comparison(false))
	writeGrid(out, "what became of what the lock guards, where the resource checks fences and where it does not", r.outcomes())
	fmt.Fprintln(out)
	for _, line := range r.remarks() {
		fmt.Fprintln(out, line)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the results as a table: %w", err)
	}
	return nil
}

// writeGrid writes columns that stand below each other.
func writeGrid(out io.Writer, title string, g grid) {
	fmt.Fprintf(out, "\n%s\n\n", title)
	for _, row := range slices.Concat([][]string{g.header}, g.rows) {
		fmt.Fprintln(out, strings.Join(row, "\t"))
	}
	fmt.Fprintln(out)
	for i, text := range g.texts {
		fmt.Fprintf(out, "(%d) %s\n", i+1, text)
	}
}

// remarks are what a reader must know beside the tables.
func (r *Report) remarks() []string {
	var all []string
	for _, broken := range r.Broken {
		all = append(all, "BROKEN: "+broken)
	}
	return append(all, r.Missing...)
}
