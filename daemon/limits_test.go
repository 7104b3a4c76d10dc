package daemon_test

import (
	"strconv"
	"strings"
	"testing"
)

// TestPromise11Bounded: each limit of the configuration answers with a reason,
// and frees again what it counted.
func TestPromise11Bounded(t *testing.T) {
	const limit = "ERR limit <text>"
	t.Run("sessions", func(t *testing.T) {
		for _, flag := range []string{"--max-sessions=3", "--max-sessions-per-user=3"} {
			h, bystander := beside(t, flag)
			one, two := h.dial(), h.dial()
			one.ask("PING", "OK")
			two.ask("PING", "OK")
			three := h.dial()
			if text := three.expect(limit); !strings.HasSuffix(text, "at most 3 sessions") {
				t.Errorf("%s answers %q", flag, text)
			}
			three.expect("<eof>")
			one.ask("QUIT", "OK", "<eof>")
			await(t, func() bool {
				four := h.dial()
				_, err := four.Write([]byte("PING\n"))
				return err == nil && four.line() == "OK"
			}, "a session's place to be free", func() any { return flag })
			two.Close()
			bystander.undisturbed()
		}
	})
	t.Run("locks of a session", func(t *testing.T) {
		h, bystander := beside(t, "--max-locks-per-session=2")
		c := h.dial()
		c.ask("LOCK a b c", limit)
		c.lock("a")
		c.lock("b")
		c.ask("LOCK c", limit)
		c.ask("LOCK c wait=0", limit)
		c.ask("UNLOCK a", "OK held=<duration>")
		c.lock("c")
		c.Close()
		bystander.alone()
	})
	for _, flag := range []string{"--max-waiters=2", "--max-waiters-per-name=2"} {
		t.Run(flag, func(t *testing.T) {
			h, bystander := beside(t, flag)
			one, two, three := h.dial(), h.dial(), h.dial()
			one.send("LOCK bystander")
			two.send("LOCK bystander")
			bystander.awaitCounts("sessions=4 held=1 waiting=2")
			three.ask("LOCK bystander", limit)
			one.ask("CANCEL", "ERR cancelled <text>", "OK cancelled=1")
			three.send("LOCK bystander")
			bystander.awaitCounts("sessions=4 held=1 waiting=2")
			for _, c := range []*client{one, two, three} {
				c.Close()
			}
			bystander.alone()
		})
	}
}

// TestPromise11Crowd: a thousand waiters for one name get their turns, one
// after the other, with fences that rise, and few of them stand in etcd.
func TestPromise11Crowd(t *testing.T) {
	const crowd = 1000
	h, bystander := beside(t)
	waiters := make([]*client, crowd)
	for i := range waiters {
		waiters[i] = h.dial()
		waiters[i].send("LOCK bystander", "QUIT")
	}
	bystander.awaitCounts("sessions=" + strconv.Itoa(crowd+1) + " held=1 waiting=" + strconv.Itoa(crowd))
	if most := len(h.entries()); most > 20 {
		t.Errorf("%d entries stand in one queue", most)
	}
	last := number(t, bystander.fence)
	bystander.ask("UNLOCK bystander", "OK held=<duration>")
	fences := map[int64]bool{}
	for _, c := range waiters {
		fence := number(t, fence(c.expect("OK fence=<int> cluster=<hex> lease=<hex> ttl=15s until=<duration> key=lockside/bystander/<key>")))
		if fence <= last || fences[fence] {
			t.Fatalf("fence %d is not a new one", fence)
		}
		fences[fence] = true
		c.expect("OK", "<eof>")
	}
	h.awaitEntries(0)
	bystander.awaitCounts("sessions=1 held=0 waiting=0")
}
