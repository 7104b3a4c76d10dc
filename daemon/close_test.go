package daemon_test

import (
	"testing"
	"time"
)

const grantedA = "OK fence=<int> cluster=<hex> lease=<hex> ttl=15s until=<duration> key=lockside/a/<key>"

// TestHalfClose: a client that only ended its writing side gets its replies,
// the one of a waiting LOCK included.
func TestHalfClose(t *testing.T) {
	h, bystander := beside(t)

	c := h.dial()
	c.send("HELLO", "PING")
	c.shutdown()
	c.expect("OK lockside=1 host=<word> session=<int> clock=<duration>", "OK", "<eof>")
	bystander.alone()

	// A lock that is granted to it is released at once.
	c = h.dial()
	c.send("LOCK a")
	c.shutdown()
	c.expect(grantedA, "<eof>")
	bystander.alone()

	// One that waits waits on.
	holder := h.dial()
	holder.lock("a")
	c = h.dial()
	c.send("LOCK a", "UNLOCK a", "PING")
	c.shutdown()
	bystander.awaitCounts("sessions=3 held=2 waiting=1")
	c.quiet()
	holder.ask("UNLOCK a", "OK held=<duration>")
	c.expect(grantedA, "OK held=<duration>", "OK", "<eof>")
	holder.Close()
	bystander.alone()
}

// TestHangUp: a client that closes leaves the queue at once, whatever it has
// sent before.
func TestHangUp(t *testing.T) {
	h, bystander := beside(t)
	for name, leave := range map[string]func(c *client){
		"while it waits":      func(c *client) { c.send("LOCK bystander") },
		"after half a close":  func(c *client) { c.send("LOCK bystander"); c.shutdown() },
		"behind much":         func(c *client) { c.send("LOCK bystander", "UNLOCK bystander", "LOCK b", "QUIT") },
		"behind a line":       func(c *client) { c.write("LOCK bystander\nhalf a li") },
		"behind one too long": func(c *client) { c.send("LOCK bystander", string(make([]byte, 9000))) },
		"with replies unread": func(c *client) { c.lock("b"); c.send("LOCK bystander wait=0", "LOCK c", "LOCK bystander") },
	} {
		t.Run(name, func(t *testing.T) {
			c := h.with(t).dial()
			c.lock("a")
			leave(c)
			if name != "with replies unread" {
				bystander.awaitCounts("sessions=2 held=2 waiting=1")
			}
			c.Close()
			bystander.alone()
		})
	}
}

// TestQuit: QUIT releases everything and says so; a successor gets it.
func TestQuit(t *testing.T) {
	h, bystander := beside(t)
	h.dial().ask("QUIT", "OK", "<eof>")

	c, next := h.dial(), h.dial()
	first := c.lock("a")
	c.lock("b")
	next.send("LOCK a")
	bystander.awaitCounts("sessions=3 held=3 waiting=1")
	c.send("QUIT", "LOCK b", "PING")
	c.expect("OK", "<eof>")
	if second := next.expect(grantedA); number(t, fence(second)) <= number(t, first) {
		t.Errorf("%s follows fence %s", second, first)
	}
	next.send("QUIT")
	next.shutdown()
	next.expect("OK", "<eof>")
	bystander.alone()
}

// TestQuitWithoutEtcd: while etcd is silent QUIT ends without an OK, soon for a
// client that hung up, and in bounded time for one that still reads.
func TestQuitWithoutEtcd(t *testing.T) {
	h, bystander := beside(t)
	reads, leaves, unlocks := h.dial(), h.dial(), h.dial()
	reads.lock("a")
	leaves.lock("b")
	unlocks.lock("c")
	h.member.Stop()
	reads.send("QUIT")
	leaves.send("QUIT")
	unlocks.send("UNLOCK c")
	bystander.awaitCounts("sessions=4 held=1 waiting=0")
	start := time.Now()
	leaves.Close()
	bystander.awaitCounts("sessions=3 held=1 waiting=0")
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("a client that hung up was kept for %v", took)
	}
	unlocks.shutdown()
	reads.expect("<eof>")
	unlocks.expect("<eof>")
	bystander.awaitCounts("sessions=1 held=1 waiting=0")
	bystander.quiet()
	h.member.Restart(t)
	bystander.alone()
}
