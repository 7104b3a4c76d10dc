package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

const maintainer = "The lockside authors <lockside@example.com>"

// debianChangelog writes CHANGELOG.md in the form of deb-changelog(5). What is
// not released yet is in the release that is built.
func debianChangelog(markdown string, r release) (string, error) {
	var b strings.Builder
	for i, section := range strings.Split(markdown, "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		version, date, err := edition(title, i == 0, r)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "lockside (%s-1) unstable; urgency=medium\n\n%s\n -- %s  %s\n\n",
			version, items(text), maintainer, date.Format(time.RFC1123Z))
	}
	if b.Len() == 0 {
		return "", errors.New("CHANGELOG.md has no section")
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// edition reads a heading, "Unreleased" or "1.2.3 - 2026-12-02". The newest is
// that of the release, whatever it says.
func edition(title string, newest bool, r release) (version string, date time.Time, err error) {
	if newest {
		return r.packageVersion(), r.time, nil
	}
	number, day, _ := strings.Cut(strings.NewReplacer("[", "", "]", "").Replace(title), " - ")
	date, err = time.Parse(time.DateOnly, day)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("CHANGELOG.md: %q: want a version, a dash and a date: %w", title, err)
	}
	return release{version: number}.packageVersion(), date, nil
}

// items are the items of a section, each with what its heading says before it,
// in lines of 80 columns.
func items(text string) string {
	var b strings.Builder
	kind := ""
	text = strings.NewReplacer("`", "", "\n  ", " ").Replace(text)
	text = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(text, "$1")
	for line := range strings.SplitSeq(text, "\n") {
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			kind = heading
		} else if item, ok := strings.CutPrefix(line, "- "); ok {
			b.WriteString(wrap("  * "+kind+": "+item, "    ", 78))
		}
	}
	return b.String()
}

// wrap breaks a paragraph between words, with an indent from its second line.
func wrap(text, indent string, width int) string {
	var b strings.Builder
	line := ""
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
			line = word
		case len(line)+1+len(word) <= width:
			line += " " + word
		default:
			b.WriteString(line + "\n")
			line = indent + word
		}
	}
	return b.String() + line + "\n"
}
