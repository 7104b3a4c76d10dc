package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"lockside/fencing/lab/crowd"
)

func TestMain(m *testing.M) {
	crowd.Main()
	os.Exit(m.Run())
}

// TestFlagsReachTheOptions gives each flag a value that is refused, so that
// nothing is measured.
func TestFlagsReachTheOptions(t *testing.T) {
	check(t, "speed", []flag{
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
	})
	check(t, "safety", []flag{
		{"--system=Chubby", "no system Chubby"},
		{"--scenario=flood", "no scenario flood"},
		{"--parallel=0", "0 stories at a time"},
		{"--ttl=1s", "a TTL of 1s"},
		{"--no-such-flag", "unknown flag"},
	})
	check(t, "soak", []flag{
		{"--for=0s", "a soak for 0s"},
		{"--progress=0s", "a soak for 10m0s, told of every 0s"},
		{"--seed=-1", "invalid argument"},
		{"--hosts=21", "21 hosts"},
		{"--members=4", "4 members"},
		{"--clients=3", "3 clients"},
		{"--crowds=0", "0 crowds"},
		{"--names=1", "1 names"},
		{"--ttl=1s", "a TTL of 1s"},
		{"--no-such-flag", "unknown flag"},
	})
}

// A flag is one with a value that is refused, and what the refusal says.
type flag struct{ flag, says string }

func check(t *testing.T, command string, tests []flag) {
	t.Helper()
	for _, test := range tests {
		var stdout, stderr bytes.Buffer
		if code := run([]string{command, test.flag}, &stdout, &stderr); code != 1 || stdout.Len() != 0 {
			t.Errorf("%s: exit code %d, output %q", test.flag, code, &stdout)
		}
		if text := stderr.String(); !strings.HasPrefix(text, "lab: ") || !strings.Contains(text, test.says) {
			t.Errorf("%s: %q, want %q", test.flag, text, test.says)
		}
	}
}
