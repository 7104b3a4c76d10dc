package peer

import (
	"strings"
	"testing"
	"time"
)

// statTail is the fields after the name, with the start time in its place.
func statTail(start string) string {
	return " S" + strings.Repeat(" 0", 18) + " " + start + " 0 0\n"
}

func TestParseStat(t *testing.T) {
	for _, test := range []struct {
		name, text, comm string
		started          time.Duration
	}{
		{"plain", "12 (cron)" + statTail("250"), "cron", 2500 * time.Millisecond},
		{"parentheses and blanks", "12 (a) (b)" + statTail("100"), "a) (b", time.Second},
		{"empty name", "12 ()" + statTail("100"), "", time.Second},
		{"longest", "12 (" + strings.Repeat("x", 40) + ")" + statTail("100"), strings.Repeat("x", MaxComm), time.Second},
		{"no start", "12 (a) S 0 0", "a", 0},
		{"bad start", "12 (a)" + statTail("x"), "a", 0},
		{"no name", "12 a", "", 0},
		{"nothing", "", "", 0},
	} {
		if comm, started := parseStat([]byte(test.text)); comm != test.comm || started != test.started {
			t.Errorf("%s: %q and %v, want %q and %v", test.name, comm, started, test.comm, test.started)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (a) (b)" + statTail("100")))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, text []byte) {
		if comm, _ := parseStat(text); len(comm) > MaxComm {
			t.Errorf("a name of %d bytes", len(comm))
		}
	})
}

func TestNamesAreLookedUpOnceAMinute(t *testing.T) {
	var n names
	if got := n.of(0); got != "root" {
		t.Errorf("0 is %q", got)
	}
	if got := n.of(4_000_000_000); got != "4000000000" {
		t.Errorf("an unknown user is %q", got)
	}
	now := time.Now()
	if name, ok := n.lookup(0, now); !ok || name != "root" {
		t.Errorf("the name was not kept")
	}
	if _, ok := n.lookup(0, now.Add(nameLife)); ok {
		t.Error("the name is believed for too long")
	}
	for uid := range uint32(3 * maxNames) {
		n.keep(uid, knownName{"x", now})
	}
	if len(n.known) > maxNames {
		t.Errorf("%d names are kept", len(n.known))
	}
}
