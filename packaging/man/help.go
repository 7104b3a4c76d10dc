package man

import (
	"fmt"
	"regexp"
	"strings"
)

// fromHelp makes Markdown of a page of help: paragraphs from the first column;
// headings, which end in a colon, and below them indented text, examples, and
// items, a term and two spaces before what it means.
func fromHelp(help string) string {
	var md strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(help), "\n\n") {
		writeBlock(&md, block)
	}
	return md.String()
}

func writeBlock(md *strings.Builder, block string) {
	first, rest, _ := strings.Cut(block, "\n")
	if heading, ok := strings.CutSuffix(first, ":"); ok && !strings.HasPrefix(first, " ") {
		fmt.Fprintf(md, "# %s\n\n", strings.ToUpper(heading))
		block = rest
	}
	item := item()
	switch {
	case block == "":
	case isExample(block):
		md.WriteString("```\n" + unindent(block) + "\n```\n\n")
	case item.MatchString(block):
		writeItems(md, block)
	default:
		md.WriteString(escape(unindent(block)) + "\n\n")
	}
}

// isExample reports whether a block is to be kept as it stands: what is typed,
// or a comment about it.
func isExample(block string) bool {
	return regexp.MustCompile(`\A  (#|lockside|etcdctl|socat)`).MatchString(block) && !item().MatchString(block)
}

// item finds the first line of an item.
func item() *regexp.Regexp { return regexp.MustCompile(`(?m)^  (\S.*?) {2,}(\S.*)$`) }

// writeItems writes a list of items. What is indented further belongs to the item
// before it. A line that is none is a paragraph before the list.
func writeItems(md *strings.Builder, block string) {
	item := item()
	for line := range strings.SplitSeq(joinLines(block), "\n") {
		if found := item.FindStringSubmatch(line); found != nil {
			fmt.Fprintf(md, "`%s`\n: %s\n\n", found[1], escape(found[2]))
			continue
		}
		fmt.Fprintf(md, "%s\n\n", escape(strings.TrimSpace(line)))
	}
}

// joinLines makes one line of each item.
func joinLines(block string) string {
	return regexp.MustCompile(`\n {4,}`).ReplaceAllString(block, " ")
}

func unindent(block string) string {
	return strings.TrimPrefix(strings.ReplaceAll(block, "\n  ", "\n"), "  ")
}

// escape keeps text from being taken for Markdown.
func escape(text string) string {
	return regexp.MustCompile("[\\\\`*_<>\\[\\]|]").ReplaceAllString(text, `\$0`)
}
