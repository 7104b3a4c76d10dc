package cli

import (
	"strings"
	"testing"
	"time"
)

func TestLossGraceFitsIntoTheMargin(t *testing.T) {
	for _, test := range []struct{ margin, asked, want time.Duration }{
		{3 * time.Second, unset, time.Second},
		{300 * time.Millisecond, unset, 100 * time.Millisecond},
		{2 * time.Second, 100 * time.Millisecond, 100 * time.Millisecond},
		{2 * time.Second, 0, 0},
		{2 * time.Second, time.Hour, 1500 * time.Millisecond},
	} {
		if got := lossGrace(test.margin, test.asked); got != test.want {
			t.Errorf("lossGrace(%v, %v) = %v, want %v", test.margin, test.asked, got, test.want)
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
