package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// WriteMarkdown writes a page with the tables, what they compare to, and what
// was measured on what. The plots are paths relative to the page.
func (r *Report) WriteMarkdown(w io.Writer, plots []string) error {
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Speed\n\nMeasured on %s. [README.md](README.md) says how to read this, and how to measure anew.\n\n", r.Day)
	r.writeMachine(&page)
	r.writeSettings(&page)
	for _, members := range r.members() {
		fmt.Fprintf(&page, "## Members: %d\n\n", members)
		r.writeOverview(&page, members)
		r.writeRatios(&page, members)
		for _, plot := range plots {
			if strings.HasSuffix(plot, plotSuffix(members)) {
				fmt.Fprintf(&page, "![](%s)\n\n", plot)
			}
		}
	}
	r.writeSections(&page)
	r.writeGroups(&page)
	r.writeNotes(&page)
	if _, err := page.WriteTo(w); err != nil {
		return fmt.Errorf("write the results as Markdown: %w", err)
	}
	return nil
}

func (r *Report) writeMachine(page *bytes.Buffer) {
	m := r.Machine
	writeTable(page, []string{"machine", ""}, [][]string{
		{"processor", fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)},
		{"memory", fmt.Sprintf("%.0f GiB", float64(m.Memory)/(1<<30))},
		{"kernel", m.Kernel},
		{"file system", m.Filesystem},
		{"write of 4 KiB and fdatasync", fmt.Sprintf("p50 %s ms, p99 %s ms", millis(m.SyncP50), millis(m.SyncP99))},
		{"load average at the start", m.Load},
		{"Go", m.Go},
	})
}

func (r *Report) writeSettings(page *bytes.Buffer) {
	s := r.Settings
	var rows [][]string
	for _, system := range r.Systems {
		rows = append(rows, []string{system.Name, system.Version, system.About})
	}
	writeTable(page, []string{"system", "version", "how it is used"}, rows)
	fmt.Fprintf(page, "Each load ran %d × %v after %v of warm-up, each round on new servers with empty directories. "+
		"The TTL is %v; those that poll pause %v to %v.\n\n", s.Rounds, s.Time, s.Warmup, s.TTL, s.PauseMin, s.PauseMax)
}

// writeOverview has a row for each system and a column for each load.
func (r *Report) writeOverview(page *bytes.Buffer, members int) {
	groups := r.groupsOf(members)
	header := []string{"cycles/s"}
	for _, g := range groups {
		header = append(header, g.load.String())
	}
	var rows [][]string
	for _, system := range r.Systems {
		row := []string{system.Name}
		for _, g := range groups {
			text := none
			if c, ok := g.of(system.Name); ok {
				text = perSecond(c.Rate)
			}
			row = append(row, text)
		}
		if slices.ContainsFunc(row[1:], func(text string) bool { return text != none }) {
			rows = append(rows, row)
		}
	}
	writeTable(page, header, rows)
	fmt.Fprint(page, "own: each worker its own name; one: all one name; hosts: all one name, half of them on each of two hosts. The number is that of workers.\n\n")
}

func (r *Report) writeSections(page *bytes.Buffer) {
	for _, s := range r.sections() {
		fmt.Fprintf(page, "## %s\n\n%s\n\n", s.title, s.about)
		writeTable(page, s.header, s.rows)
	}
}

// writeGroups has a table for each load, if there are any.
func (r *Report) writeGroups(page *bytes.Buffer) {
	groups := r.groups()
	if len(groups) > 0 {
		fmt.Fprint(page, "## Every load\n\nTimes are in milliseconds.\n\n")
	}
	for _, g := range groups {
		r.writeGroup(page, g)
	}
}

func (r *Report) writeGroup(page *bytes.Buffer, g group) {
	fmt.Fprintf(page, "### %s; members: %d\n\n", g.title(), g.members)
	header, rows := r.table(g)
	writeTable(page, header, rows)
}

func (r *Report) writeNotes(page *bytes.Buffer) {
	notes := r.notes()
	if len(notes) == 0 {
		return
	}
	fmt.Fprint(page, "## Notes\n\n")
	for _, note := range notes {
		fmt.Fprintf(page, "- %s\n", note)
	}
}

// members are the numbers of members that there are cells for.
func (r *Report) members() []int {
	var all []int
	for _, g := range r.groups() {
		if !slices.Contains(all, g.members) {
			all = append(all, g.members)
		}
	}
	return all
}

func (r *Report) groupsOf(members int) []group {
	return slices.DeleteFunc(r.groups(), func(g group) bool { return g.members != members })
}

// writeTable writes a table; the first column is text, the others are numbers.
func writeTable(page *bytes.Buffer, header []string, rows [][]string) {
	fmt.Fprintf(page, "| %s |\n|", strings.Join(header, " | "))
	for range header {
		page.WriteString(" --- |")
	}
	page.WriteString("\n")
	for _, row := range rows {
		fmt.Fprintf(page, "| %s |\n", strings.Join(row, " | "))
	}
	page.WriteString("\n")
}

// period is the time from one event to the next.
func period(rate float64) time.Duration {
	return time.Duration(float64(time.Second) / rate)
}
