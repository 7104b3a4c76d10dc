package main

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// match reports whether a line is what the page shows, apart from what differs
// each time. "…" in the page stands for anything.
func match(want, shown string) bool {
	if strings.Contains(want, "  ") {
		return matchRow(want, shown)
	}
	var expr strings.Builder
	for i, part := range strings.Split(varying().ReplaceAllString(want, "$1$2$3$4…"), "…") {
		if i > 0 {
			expr.WriteString(".*")
		}
		expr.WriteString(regexp.QuoteMeta(part))
	}
	return regexp.MustCompile(`\A` + expr.String() + `\z`).MatchString(shown)
}

// matchRow compares rows of a table, in which numbers and the user differ, and
// so the widths of columns. "…" in a word stands for anything.
func matchRow(want, shown string) bool {
	differs := regexp.MustCompile(`\A([0-9.]+s?|app)\z`)
	return slices.EqualFunc(strings.Fields(want), strings.Fields(shown), func(want, shown string) bool {
		return match(want, shown) || differs.MatchString(want)
	})
}

// varying finds what differs each time; its groups are what comes before.
func varying() *regexp.Regexp {
	return regexp.MustCompile(`\b((?:fence|pid|user)[= ]|(?:cluster|lease|uid|held|left|until|since)=)[\w.:-]+` +
		`|(/)[0-9a-f]{8,16}-[0-9]+\b` + // the last part of a key
		`|\b(for )[0-9.]+s\b` +
		`|\b(above |up to )[0-9]+\b`)
}

// fences knows for each fence of the page the one that was granted in its place.
type fences map[int]int

// agree reports whether fences in a line compare with those of the lines before
// as the page says they do.
func (f fences) agree(want, shown string) bool {
	number := regexp.MustCompile(`\bfence[= ](\d+)`)
	there, here := number.FindAllStringSubmatch(want, -1), number.FindAllStringSubmatch(shown, -1)
	for i := range min(len(there), len(here)) {
		a, _ := strconv.Atoi(there[i][1])
		b, _ := strconv.Atoi(here[i][1])
		for page, granted := range f {
			if cmp.Compare(a, page) != cmp.Compare(b, granted) {
				return false
			}
		}
		f[a] = b
	}
	return len(there) == len(here)
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		want, shown string
		matches     bool
	}{
		{"OK fence=8 lease=a1 ttl=15s", "OK fence=17 lease=b2 ttl=15s", true},
		{"OK fence=8 lease=a1 ttl=15s", "OK fence=17 lease=b2 ttl=30s", false},
		{"OK fence=8 …", "OK fence=17 key=x", true},
		{"OK held=1.2s", "ERR not-held", false},
		{"fences go on above 31 (before up to 30)", "fences go on above 9 (before up to 7)", true},
		{"fences go on above 31 (before up to 30)", "fences go on above 9", false},
		{"75", "70", false},
		{"ROLE    FENCE  USER", "ROLE    FENCE  USER", true},
		{"holder  7      app", "holder  12     root", true},
		{"holder  7      app", "waiter  12     root", false},
		{" 1    0.6s  first   fence 4", "10   12.1s  first   fence 5", true},
		{" 1    0.6s  first   fence 4", "10   12.1s  second  fence 5", false},
		{"lock  drill-…, of a daemon", "lock  drill-1f3c, of a daemon", true},
	} {
		if matches := match(test.want, test.shown); matches != test.matches {
			t.Errorf("match(%q, %q) = %v, want %v", test.want, test.shown, matches, test.matches)
		}
	}
}

func TestFencesAgree(t *testing.T) {
	f := fences{}
	for _, test := range []struct {
		want, shown string
		agree       bool
	}{
		{"fence=8", "fence=17", true},
		{"fence=9", "fence=17", false},
		{"fence=9", "fence=21", true},
		{"fence=8 fence=9", "fence=17 fence=21", true},
		{"fence=8", "no fence", false},
	} {
		if agree := f.agree(test.want, test.shown); agree != test.agree {
			t.Errorf("agree(%q, %q) = %v, want %v", test.want, test.shown, agree, test.agree)
		}
	}
}
