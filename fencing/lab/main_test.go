package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestFlagsReachTheOptions gives each flag a value that is refused, so that
// nothing is measured.
func TestFlagsReachTheOptions(t *testing.T) {
	tests := []struct{ flag, says string }{
		{"--system=Chubby", "no system Chubby"},
		{"--members=2", "no number of members 2"},
		{"--loads=all", "no load all"},
		{"--workers=0", "0 workers"},
		{"--host-workers=0", "0 workers"},
		{"--time=0s", "give a load some time"},
		{"--warmup=-1s", "give a load some time"},
		{"--rounds=0", "0 rounds"},
		{"--ttl=1s", "a TTL of 1s"},
		{"--pause-min=1h", "a pause of 1h0m0s"},
		{"--pause-max=0s", "a pause of 5ms to 0s"},
		{"--reuse=7", "a reuse of 7 cycles"},
		{"--reuse-workers=1001", "1001 workers"},
		{"--reuse-time=0s", "a reuse within 0s"},
		{"--quiet=-1", "-1 quiet sessions"},
		{"--quiet-time=0s", "one more client for 0s"},
		{"--waiters=-2", "-2 waiters"},
		{"--no-such-flag", "unknown flag"},
	}
	for _, test := range tests {
		var stdout, stderr bytes.Buffer
		if code := run([]string{"speed", test.flag}, &stdout, &stderr); code != 1 || stdout.Len() != 0 {
			t.Errorf("%s: exit code %d, output %q", test.flag, code, &stdout)
		}
		if text := stderr.String(); !strings.HasPrefix(text, "lab: ") || !strings.Contains(text, test.says) {
			t.Errorf("%s: %q, want %q", test.flag, text, test.says)
		}
	}
}
