package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestDebianChangelog(t *testing.T) {
	const markdown = `# Changelog

Words.

## Unreleased

### Added

- ` + "`a`" + `, see [the page](README.md#a), which does so much that one line of a changelog
  cannot hold it.

### Fixed

- B.

## [1.2.3] - 2026-12-01

### Added

- C.
`
	const want = `lockside (1.3.0-1) unstable; urgency=medium

  * Added: a, see the page, which does so much that one line of a changelog
    cannot hold it.
  * Fixed: B.

 -- The lockside authors <lockside@example.com>  Sun, 09 Sep 2001 01:46:40 +0000

lockside (1.2.3-1) unstable; urgency=medium

  * Added: C.

 -- The lockside authors <lockside@example.com>  Tue, 01 Dec 2026 00:00:00 +0000
`
	got, err := debianChangelog(markdown, release{version: "v1.3.0", time: time.Unix(1e9, 0).UTC()})
	if err != nil || got != want {
		t.Errorf("%v, got\n%s", err, got)
	}
}

// TestOwnChangelog asks dpkg's parser about the repository's own.
func TestOwnChangelog(t *testing.T) {
	markdown, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := debianChangelog(string(markdown), release{version: "v1.3.0", time: time.Unix(1e9, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	parser, err := exec.LookPath("dpkg-parsechangelog")
	if err != nil {
		t.Skip("dpkg-parsechangelog is not installed")
	}
	parse := exec.CommandContext(t.Context(), parser, "-l-", "--all")
	parse.Stdin = strings.NewReader(text)
	out, err := parse.CombinedOutput()
	if err != nil || strings.Contains(string(out), "warning") || !strings.Contains(string(out), "Version: 1.3.0-1\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
