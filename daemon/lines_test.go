package daemon_test

import (
	"fmt"
	"strings"
	"testing"

	"lockside/ipc"
)

// TestLines sends bytes that a client should not, or need not, send. After each
// the session goes on and holds what it held.
func TestLines(t *testing.T) {
	h, bystander := beside(t)
	const bad, granted = "ERR bad-request <text>", "OK fence=<int> cluster=<hex> lease=<hex> ttl=15s until=<duration> key=<word>"
	blanks := func(verb string, length int) string { return verb + strings.Repeat(" ", length-len(verb)-1) + "\n" }
	var names strings.Builder
	for i := range ipc.MaxNames {
		fmt.Fprintf(&names, " n%d", i)
	}
	for _, test := range []struct{ name, bytes, want string }{
		{"unknown verb", "FROB a\n", bad},
		{"verb of a later version", "WATCH a\n", bad},
		{"option of a later version", "LOCK a max=5s\n", bad},
		{"option of another verb", "UNLOCK a wait=5s\n", bad},
		{"option twice", "LOCK a wait=1 wait=1\n", bad},
		{"option without a value", "LOCK a wait=\n", bad},
		{"bad duration", "LOCK a wait=soon\n", bad},
		{"negative duration", "LOCK a wait=-1s\n", bad},
		{"broken TTL", "LOCK a ttl=15.5s\n", bad},
		{"TTL below the bounds", "LOCK a ttl=2s\n", bad},
		{"TTL above the bounds", "LOCK a ttl=2h\n", bad},
		{"no name", "LOCK\n", bad},
		{"empty name", "LOCK %\n", bad},
		{"name twice", "LOCK a %61\n", bad},
		{"longest name", "LOCK " + strings.Repeat("n", ipc.MaxName) + "\n", granted},
		{"name too long", "LOCK " + strings.Repeat("n", ipc.MaxName+1) + "\n", bad},
		{"too many names", "LOCK one" + names.String() + "\n", bad},
		{"owner too long", "LOCK a owner=" + strings.Repeat("o", ipc.MaxOwner+1) + "\n", bad},
		{"version of the future", "HELLO version=2\n", bad},
		{"NUL", "LOCK a\x00b\n", bad},
		{"NUL escaped", "LOCK a%00b\n", bad},
		{"invalid UTF-8", "LOCK a\xff\n", bad},
		{"invalid UTF-8 escaped", "LOCK a%FF\n", bad},
		{"tab", "LOCK\ta\n", bad},
		{"CR within", "LOCK a\rb\n", bad},
		{"CRLF", "PING\r\n", "OK"},
		{"two CRs", "PING\r\r\n", bad},
		{"empty", "\n", bad},
		{"blanks alone", "   \n", bad},
		{"blanks around", "  ping  \n", "OK"},
		{"UTF-8", "LOCK naïve\n", granted},
		{"escapes", "LOCK n%C3%A4%20%25%3D%2f\n", granted},
		{"longest line", blanks("PING", ipc.MaxLine), "OK"},
		{"longest line with CRLF", strings.Replace(blanks("PING", ipc.MaxLine), " \n", "\r\n", 1), "OK"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := h.with(t).dial()
			kept := c.lock("Kept")
			c.write(test.bytes)
			c.expect(test.want)
			c.ask("CHECK Kept", "OK fence="+kept+" left=<duration> until=<duration>")
			c.quiet()
			c.Close()
			bystander.alone()
		})
	}
}

// TestLineTooLong ends the session, whether or not the LF comes.
func TestLineTooLong(t *testing.T) {
	h, bystander := beside(t)
	for name, bytes := range map[string]string{
		"by one":        strings.Repeat("x", ipc.MaxLine) + "\n",
		"without LF":    strings.Repeat("x", ipc.MaxLine),
		"by far":        strings.Repeat("x", 10*ipc.MaxLine) + "\nPING\n",
		"of blanks":     "PING" + strings.Repeat(" ", ipc.MaxLine) + "\n",
		"not the first": "PING\n" + strings.Repeat("x", ipc.MaxLine) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := h.with(t).dial()
			c.lock("Kept")
			c.write(bytes)
			if strings.HasPrefix(bytes, "PING\n") {
				c.expect("OK")
			}
			c.expect("ERR too-long <text>", "<eof>")
			bystander.alone()
		})
	}
}

// TestHalfALine holds that bytes after the last LF are dropped.
func TestHalfALine(t *testing.T) {
	h, bystander := beside(t)
	c := h.dial()
	c.write("PING\nUNLOCK bystander\nLOCK half")
	c.shutdown()
	c.expect("OK", "ERR not-held <text>", "<eof>")
	bystander.alone()
}
