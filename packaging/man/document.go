package man

import (
	"fmt"
	"regexp"
	"strings"
)

// fromDocument makes a manual of a document of the repository: without its title
// and its list of contents, since man(1) can search; with the words of links within
// the repository alone; and with lists in place of tables, which do not fit
// terminals.
func fromDocument(text string) string {
	text = regexp.MustCompile(`\A# .*\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(?m)^(1\. \[(.*\n)+?)\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`\[([^\]]*)\]\([^)\s:]*\)`).ReplaceAllString(text, "$1")
	text = regexp.MustCompile(`(?m)^## .*$`).ReplaceAllStringFunc(text, func(heading string) string {
		return "# " + strings.ToUpper(strings.TrimPrefix(heading, "## "))
	})
	table := regexp.MustCompile(`(?m)(^\|.*\n)+`)
	return strings.TrimSpace(table.ReplaceAllStringFunc(text, list))
}

// list makes of each row a term, its first cell, and what the others say of it.
// A third cell and those behind it come with their column's name.
func list(table string) string {
	rows := strings.Split(strings.TrimSpace(table), "\n")
	names := cells(rows[0])
	var md strings.Builder
	for _, row := range rows[2:] {
		c := cells(row)
		fmt.Fprintf(&md, "%s\n", c[0])
		for i := 1; i < len(c); i++ {
			prefix := ""
			if i > 1 {
				prefix = names[i] + ": "
			}
			fmt.Fprintf(&md, ": %s%s\n", prefix, c[i])
		}
		md.WriteString("\n")
	}
	return md.String()
}

func cells(row string) []string {
	all := strings.Split(strings.Trim(row, "|"), "|")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}
