package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteTable writes a table for each load, for a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, g := range r.groups() {
		fmt.Fprintf(out, "\n%s; members: %d; times in ms\n", g.title(), g.members)
		var titles []string
		for _, column := range columns() {
			titles = append(titles, column.title)
		}
		fmt.Fprintln(out, strings.Join(titles, "\t")+"\t")
		for _, c := range g.cells {
			fmt.Fprintln(out, strings.Join(r.row(g, c), "\t")+"\t")
		}
	}
	fmt.Fprintln(out)
	for _, line := range r.notes() {
		fmt.Fprintln(out, line)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the results as a table: %w", err)
	}
	return nil
}

// row is the texts of a cell's columns.
func (r *Report) row(g group, c Cell) []string {
	var texts []string
	for _, column := range columns() {
		texts = append(texts, column.text(r, g, c))
	}
	return texts
}

// notes are what a reader of the figures must know: what is missing, and every
// error that a worker had.
func (r *Report) notes() []string {
	notes := slices.Clone(r.Missing)
	if r.Cut != "" {
		notes = append(notes, "The run ended before its time: "+r.Cut)
	}
	for _, g := range r.groups() {
		for _, c := range g.cells {
			for _, text := range slices.Sorted(maps.Keys(c.Errors)) {
				notes = append(notes, fmt.Sprintf("%s; %s; members: %d; %d errors: %s",
					c.System, g.title(), g.members, c.Errors[text], strings.Join(strings.Fields(text), " ")))
			}
		}
	}
	return notes
}
