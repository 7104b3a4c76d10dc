package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteTable writes a table for each load and each section, for a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, g := range r.groups() {
		header, rows := r.table(g)
		writeAligned(out, fmt.Sprintf("%s; members: %d; times in ms", g.title(), g.members), header, rows)
	}
	for _, s := range r.sections() {
		title := s.title
		if s.millis {
			title += "; times in ms"
		}
		writeAligned(out, title, s.header, s.rows)
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

// writeAligned writes a table in columns that stand below each other.
func writeAligned(out io.Writer, title string, header []string, rows [][]string) {
	fmt.Fprintf(out, "\n%s\n", title)
	for _, row := range slices.Concat([][]string{header}, rows) {
		fmt.Fprintln(out, strings.Join(row, "\t")+"\t")
	}
}

// table is the columns of all cells of a group.
func (r *Report) table(g group) (header []string, rows [][]string) {
	var fields []field[Cell]
	for _, column := range columns() {
		fields = append(fields, field[Cell]{column.title, func(c Cell) string { return column.text(r, g, c) }})
	}
	return table(g.cells, fields)
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
			notes = append(notes, errorNotes(fmt.Sprintf("%s; %s; members: %d", c.System, g.title(), g.members), c.Errors)...)
		}
	}
	return slices.Concat(notes, r.reuseNotes(), r.quietNotes(), r.waitersNotes())
}

// errorNotes tells the errors of one row.
func errorNotes(where string, errors map[string]int) []string {
	var notes []string
	for _, text := range slices.Sorted(maps.Keys(errors)) {
		notes = append(notes, fmt.Sprintf("%s; %d errors: %s", where, errors[text], strings.Join(strings.Fields(text), " ")))
	}
	return notes
}
