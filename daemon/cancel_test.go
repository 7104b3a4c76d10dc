package daemon_test

import "testing"

// TestCancel: CANCEL ends the wait of every LOCK that was sent before it.
func TestCancel(t *testing.T) {
	const cancelled = "ERR cancelled <text>"
	h, bystander := beside(t)
	for _, test := range []struct {
		name string
		sent []string
		want []string
	}{
		{"nothing", []string{"CANCEL"}, []string{"OK cancelled=0"}},
		{"nothing twice", []string{"CANCEL", "CANCEL"}, []string{"OK cancelled=0", "OK cancelled=0"}},
		{"a wait", []string{"LOCK bystander", "CANCEL"}, []string{cancelled, "OK cancelled=1"}},
		{"one of several names", []string{"LOCK bystander other", "CANCEL"}, []string{cancelled, "OK cancelled=1"}},
		{"a wait, twice", []string{"LOCK bystander", "CANCEL", "CANCEL"}, []string{cancelled, "OK cancelled=1", "OK cancelled=0"}},
		{
			"requests between", []string{"LOCK bystander", "PING", "FROB", "CANCEL"},
			[]string{cancelled, "OK", "ERR bad-request <text>", "OK cancelled=1"},
		},
		{
			"several waits", []string{"LOCK bystander", "LOCK other", "LOCK bystander", "CANCEL"},
			[]string{cancelled, cancelled, cancelled, "OK cancelled=3"},
		},
		{
			"one that ended", []string{"LOCK bystander wait=0", "CANCEL"},
			[]string{"ERR busy <text>", "OK cancelled=0"},
		},
		{
			"only what came before", []string{"LOCK bystander", "CANCEL", "LOCK other", "UNLOCK other"},
			[]string{cancelled, "OK cancelled=1", "OK fence=<int> cluster=<hex> lease=<hex> ttl=15s until=<duration> key=lockside/other/<key>", "OK held=<duration>"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := h.with(t).dial()
			for _, line := range test.sent {
				c.send(line)
			}
			c.expect(test.want...)
			c.ask("PING", "OK")
			c.Close()
			bystander.alone()
		})
	}
}

// TestCancelBehindUnlock: a CANCEL that was read while the LOCK before it had
// not begun to wait acts on it too.
func TestCancelBehindUnlock(t *testing.T) {
	h, bystander := beside(t)
	c := h.dial()
	for range 50 {
		c.lock("a")
		c.send("UNLOCK a", "LOCK bystander", "CANCEL")
		c.expect("OK held=<duration>", "ERR cancelled <text>", "OK cancelled=1")
	}
	c.Close()
	bystander.alone()
}

// TestCancelRacesGrant: whichever is first, the replies tell which.
func TestCancelRacesGrant(t *testing.T) {
	h, bystander := beside(t)
	c := h.dial()
	for range 100 {
		c.send("LOCK a", "CANCEL")
		switch got := c.line(); got {
		case "ERR cancelled the wait was cancelled":
			c.expect("OK cancelled=1")
			c.ask("CHECK a", "ERR not-held <text>")
		default:
			c.expect("OK cancelled=0")
			c.ask("UNLOCK a fence="+fence(got), "OK held=<duration>")
		}
	}
	c.Close()
	bystander.alone()
}
