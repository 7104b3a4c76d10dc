package cli

import (
	"strings"
	"testing"
	"time"
)

func TestLossGraceFitsIntoTheMargin(t *testing.T) {
	for _, test := range []struct{ ttl, asked, want time.Duration }{
		{15 * time.Second, unset, 2500 * time.Millisecond / 3},
		{3 * time.Second, unset, time.Second / 3},
		{60 * time.Second, unset, 10 * time.Second / 3},
		{15 * time.Second, 100 * time.Millisecond, 100 * time.Millisecond},
		{15 * time.Second, 0, 0},
		{15 * time.Second, time.Hour, 1875 * time.Millisecond},
	} {
		if got := lossGrace(test.ttl, test.asked); got != test.want {
			t.Errorf("lossGrace(%v, %v) = %v, want %v", test.ttl, test.asked, got, test.want)
		}
	}
}

func TestDefaultOwner(t *testing.T) {
	for command, want := range map[string]string{
		"/usr/bin/backup":         "backup",
		"evil\x1b[2J":             "",
		strings.Repeat("x", 1000): "",
	} {
		if got := defaultOwner(command); got != want {
			t.Errorf("defaultOwner(%q) = %q, want %q", command, got, want)
		}
	}
}
