package ipc_test

import (
	"strings"
	"testing"
	"time"

	"lockside/ipc"
)

func TestMatchGlob(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"*", "", true},
		{"*", "a/b", true},
		{"a", "a", true},
		{"a", "ab", false},
		{"ab", "a", false},
		{"a*", "a", true},
		{"a*c", "abcbc", true},
		{"a*b*c", "axxbxxbxc", true},
		{"a*b*c", "acb", false},
		{"**a", "ba", true},
		{"?", "ü", true},
		{"?", "", false},
		{"?", "ab", false},
		{"*ß*", "grüße", true},
		{"*?ße", "grüße", true},
		{`\*`, "*", true},
		{`\*`, "a", false},
		{`a\?`, "a?", true},
		{`a\\b`, `a\b`, true},
		{`a\`, `a\`, true},
		{`\ü`, "ü", true},
		{"[a]", "[a]", true},
	} {
		if got := ipc.MatchGlob(c.glob, c.name); got != c.want {
			t.Errorf("MatchGlob(%q, %q) = %v, want %v", c.glob, c.name, got, c.want)
		}
	}
}

// TestMatchGlobTakesNoTimeToSpeakOf is about a glob that a careless matcher
// needs a time for that grows with the power of its stars.
func TestMatchGlobTakesNoTimeToSpeakOf(t *testing.T) {
	done := make(chan bool)
	go func() { done <- ipc.MatchGlob(strings.Repeat("a*", 100)+"b", strings.Repeat("a", ipc.MaxName)) }()
	if receive(t, done) {
		t.Error("it matched")
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0":                      0,
		"5":                      5 * time.Second,
		"007":                    7 * time.Second,
		"0.5":                    time.Second / 2,
		"250ms":                  250 * time.Millisecond,
		"1.5s":                   1500 * time.Millisecond,
		"2m":                     2 * time.Minute,
		"1h":                     time.Hour,
		"0.999999h":              time.Hour - 3600*time.Microsecond,
		"0.000001ms":             1,
		"2562047h":               2562047 * time.Hour,
		"9223372036854.775807ms": 1<<63 - 1,
	} {
		if got, err := ipc.ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "s", ".5s", "5.s", "1.1234567s", "-1s", "+1s", "1 s", "1S", "1us", "1m30s", "1e3",
		"2562048h", "9223372036854.775808ms", "99999999999999999999s", "٣s", "0x1s",
	} {
		if got, err := ipc.ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
}
