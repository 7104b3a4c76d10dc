package fencing_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page is the manual.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLinks holds that all links of the manual lead somewhere.
func TestLinks(t *testing.T) {
	text := page(t)
	anchors := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		anchor := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		anchors["#"+strings.ReplaceAll(anchor, " ", "-")] = true
	}
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1)
	if len(links) < 20 {
		t.Fatalf("only %d links", len(links))
	}
	for _, link := range links {
		target := link[1]
		if strings.HasPrefix(target, "#") {
			if !anchors[target] {
				t.Errorf("there is no section %s", target)
			}
		} else if _, err := os.Stat(target); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
}

// TestEveryGuardIsInTheManual holds that nobody has to look for one.
func TestEveryGuardIsInTheManual(t *testing.T) {
	guards, err := filepath.Glob("*guard")
	if err != nil || len(guards) < 6 {
		t.Fatalf("%q, %v", guards, err)
	}
	for _, guard := range append(guards, "idempotency", "fencingtest") {
		if !strings.Contains(page(t), "["+guard+"]("+guard+")") {
			t.Errorf("%s is not in the manual", guard)
		}
	}
}

// TestRecipes holds that a recipe of the manual is one that the tests of a guard
// run, apart from blanks and from names that stand for the reader's own.
func TestRecipes(t *testing.T) {
	for section, source := range map[string]string{
		"SQL":   "sqlguard/doc.go",
		"Redis": "redisguard/doc.go",
		"HTTP":  "httpguard/doc.go",
	} {
		tested, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		known := normal(strings.ReplaceAll(string(tested), "\n//", "\n"))
		for _, line := range recipe(t, section) {
			if !strings.Contains(known, line) {
				t.Errorf("%s is not in %s", line, source)
			}
		}
	}
}

// recipe is the indented lines of a section, of which there is one at least.
func recipe(t *testing.T, section string) (lines []string) {
	_, rest, _ := strings.Cut(page(t), "\n### "+section+"\n")
	rest, _, _ = strings.Cut(rest, "\n##")
	for _, line := range regexp.MustCompile(`(?m)^    (.*)$`).FindAllStringSubmatch(rest, -1) {
		lines = append(lines, normal(line[1]))
	}
	if lines == nil {
		t.Errorf("the manual has no recipe in section %s", section)
	}
	return lines
}

// normal is a text without what differs between the manual and a test: blanks,
// what curl is to show, and what is written.
func normal(text string) string {
	text = strings.NewReplacer(`"$URL"`, "URL", ` -sS -w '%{http_code}\n'`, "", "-d first", "-d done", "SET {job}:state half", "SET {job}:state done", "8122", "8123").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}
