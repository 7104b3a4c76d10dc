package report

import "slices"

// A section is a table that is not about a load's cells.
type section struct {
	title  string
	about  string // for the page
	millis bool   // its times are in milliseconds
	header []string
	rows   [][]string
}

// A field is one thing told of each row of a section.
type field[T any] struct {
	title string
	text  func(T) string
}

// table writes the fields of all values.
func table[T any](values []T, fields []field[T]) (header []string, rows [][]string) {
	for _, f := range fields {
		header = append(header, f.title)
	}
	for _, value := range values {
		var row []string
		for _, f := range fields {
			row = append(row, f.text(value))
		}
		rows = append(rows, row)
	}
	return header, rows
}

// sections are those that have something to tell.
func (r *Report) sections() []section {
	return slices.Concat(r.reuseSections(), r.quietSections(), r.waitersSections())
}
