package safety

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// WriteMarkdown writes a page with the comparison, what became of every story,
// and each scenario. The pictures' files are paths relative to the page.
func (r *Report) WriteMarkdown(w io.Writer, pictures []Picture) error {
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Safety\n\nMeasured on %s in %v, with a TTL of %v. [README.md](README.md#safety) says how to read this, and how to measure anew.\n\n",
		r.Day, r.Took.Round(time.Second), r.TTL)
	writeList(&page, r.remarks())
	page.WriteString("## Comparison\n\nWhat is in italics was measured, and so are the columns of words and times; the rest is how it is documented.\n\n")
	writeMarkdownGrid(&page, r.comparison(true))
	page.WriteString("## What became of what the lock guards\n\n")
	writeMarkdownGrid(&page, r.outcomes())
	r.writeMeanings(&page)
	for _, scenario := range r.Scenarios {
		r.writeScenario(&page, scenario, pictures)
	}
	r.writeSystems(&page)
	if _, err := w.Write(append(bytes.TrimSpace(page.Bytes()), '\n')); err != nil {
		return fmt.Errorf("write the results as Markdown: %w", err)
	}
	return nil
}

// writeMeanings explains the words that are there.
func (r *Report) writeMeanings(page *bytes.Buffer) {
	var all []string
	for _, m := range meanings() {
		if slices.ContainsFunc(r.Results, func(one Result) bool { return one.word() == m.word }) {
			all = append(all, fmt.Sprintf("**%s**: %s.", m.word, m.text))
		}
	}
	writeList(page, all)
}

func (r *Report) writeScenario(page *bytes.Buffer, scenario Scenario, pictures []Picture) {
	fmt.Fprintf(page, "## %s\n\n%s\n\n", scenario.Title, scenario.About)
	for _, picture := range pictures {
		if picture.Scenario == scenario.Name {
			fmt.Fprintf(page, "![%s](%s)\n\n", cellText(picture.Title), picture.File)
		}
	}
	g := grid{header: []string{"system", "check", "outcome", "fences", "take-over, s", "both held for, s", "what A learned", "in the resource"}}
	var settings []string
	for _, one := range r.Results {
		if one.Scenario != scenario.Name || one.Reason != "" {
			continue
		}
		g.rows = append(g.rows, []string{one.System, yesNo(one.Checked), g.cell(one), one.fences(), optional(one.TakeOver), optional(one.Overlap), one.learned(), one.value()})
		if line := one.System + ": " + one.Setting; one.Setting != "" && !slices.Contains(settings, line) {
			settings = append(settings, line)
		}
	}
	if len(g.rows) > 0 {
		writeMarkdownGrid(page, g)
	}
	writeList(page, settings)
}

// writeSystems says what was put to the test.
func (r *Report) writeSystems(page *bytes.Buffer) {
	g := grid{header: []string{"system", "version", "how it is used"}}
	for _, s := range r.Systems {
		g.rows = append(g.rows, []string{s.Name, s.Version, s.About})
	}
	page.WriteString("## Systems\n\n")
	writeMarkdownGrid(page, g)
}

// fences are A's and B's.
func (o Outcome) fences() string {
	if o.FenceA == 0 && o.FenceB == 0 {
		return "none"
	}
	text := func(fence int64) string {
		if fence == 0 {
			return none
		}
		return fmt.Sprint(fence)
	}
	return text(o.FenceA) + ", " + text(o.FenceB)
}

// learned is by what A knew that it had lost the lock, and when.
func (o Outcome) learned() string {
	switch {
	case o.Told == "":
		return "nothing"
	case o.InTime:
		return fmt.Sprintf("%s, %s s after the strike, before it wrote", o.Told, seconds(o.ToldAfter))
	}
	return fmt.Sprintf("%s, %s s after the strike", o.Told, seconds(o.ToldAfter))
}

func (o Outcome) value() string {
	if o.Value == "" {
		return "nothing"
	}
	return o.Value
}

// optional writes seconds, where there are any.
func optional(d time.Duration) string {
	if d == 0 {
		return none
	}
	return seconds(d)
}

// writeList writes each text as a point, if there are any.
func writeList(page *bytes.Buffer, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(page, "- %s\n", cellText(text))
	}
	if len(texts) > 0 {
		page.WriteString("\n")
	}
}

func writeMarkdownGrid(page *bytes.Buffer, g grid) {
	writeRow(page, g.header)
	page.WriteString("|" + strings.Repeat(" --- |", len(g.header)) + "\n")
	for _, row := range g.rows {
		writeRow(page, row)
	}
	page.WriteString("\n")
	for i, text := range g.texts {
		fmt.Fprintf(page, "%d. %s\n", i+1, cellText(text))
	}
	if len(g.texts) > 0 {
		page.WriteString("\n")
	}
}

func writeRow(page *bytes.Buffer, cells []string) {
	page.WriteString("|")
	for _, cell := range cells {
		fmt.Fprintf(page, " %s |", strings.ReplaceAll(cellText(cell), "|", `\|`))
	}
	page.WriteString("\n")
}

// cellText is a text in one line.
func cellText(text string) string { return strings.Join(strings.Fields(text), " ") }
