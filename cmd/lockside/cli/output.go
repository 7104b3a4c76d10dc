package cli

// The rules of all output:
//
//   - Standard output has what was asked for and nothing else. With --json it
//     is one JSON value, whose fields are only ever added to. Without, it is
//     for people and may change.
//   - Errors and notes go to standard error, each line beginning "lockside: ",
//     in lower case and without a full stop. A line "hint: " may follow, which
//     says what to do.
//   - The note on who is waited for is written over and over on one line of a
//     terminal, without "lockside: ", and cleared in the end. A pipe gets it
//     only with -v, and once, as other notes.
//   - Names, owners and commands are what others chose. For people their
//     control characters are replaced, so that none can move the cursor or
//     colour the screen. In JSON they are as they are.

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// errorf writes an error or a note, and the hint unless that is empty.
func (a *app) errorf(hint, format string, args ...any) {
	fmt.Fprintf(a.stderr, "lockside: %s\n", harmless(fmt.Sprintf(format, args...)))
	if hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", hint)
	}
}

// harmless replaces every character that does not print, those that turn the
// direction of writing among them.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

func (a *app) writeJSON(value any) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// table writes rows in columns, the head first. Empty cells show as "-".
func table(w io.Writer, rows [][]string) error {
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(out, "\t")
			}
			if cell = harmless(cell); cell == "" {
				cell = "-"
			}
			fmt.Fprint(out, cell)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}
