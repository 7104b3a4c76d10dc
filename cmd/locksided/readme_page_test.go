package main

import (
	"os"
	"strings"
	"testing"
)

// A block is one fenced block of the page.
type block struct {
	first int    // line of the page
	kind  string // first word after the fence
	name  string // second word: a terminal or a file
	lines []string
}

// readBlocks cuts the fenced blocks out of a page.
func readBlocks(t testing.TB, file string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	inside := false
	for i, line := range strings.Split(string(text), "\n") {
		fence, ok := strings.CutPrefix(line, "```")
		switch {
		case ok && !inside:
			kind, name, _ := strings.Cut(fence, " ")
			blocks = append(blocks, block{first: i + 2, kind: kind, name: name})
			inside = true
		case ok:
			inside = false
		case inside:
			last := &blocks[len(blocks)-1]
			last.lines = append(last.lines, line)
		}
	}
	return blocks
}
