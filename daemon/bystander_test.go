package daemon_test

import (
	"strings"
	"testing"

	"lockside/leases/etcdtest"
)

// bystander is a holder who must notice nothing of what other sessions do.
type bystander struct {
	*client
	host  *host
	fence string
}

// beside runs a daemon with one holder.
func beside(t *testing.T, flags ...string) (*host, *bystander) {
	t.Helper()
	h := serve(t, etcdtest.Start(t), flags...)
	b := &bystander{client: h.dial(), host: h}
	b.fence = b.lock("bystander")
	return h, b
}

// undisturbed holds that nothing came, and that the lock is what it was.
func (b *bystander) undisturbed() {
	b.t.Helper()
	b.quiet()
	b.ask("CHECK bystander verify", "OK fence="+b.fence+" left=<duration> until=<duration>")
}

// alone waits until nothing is left of any other session, in etcd and in the
// daemon, and holds that the bystander was not disturbed.
func (b *bystander) alone() {
	b.t.Helper()
	b.undisturbed()
	b.host.awaitEntries(1)
	b.awaitCounts("sessions=1 held=1 waiting=0")
	b.undisturbed()
}

// awaitCounts waits until STATUS counts so.
func (c *client) awaitCounts(want string) {
	c.t.Helper()
	var got string
	await(c.t, func() bool { got = c.counts(); return got == want }, "counts of "+want, func() any { return got })
}

// counts is what STATUS counts, without its about=.
func (c *client) counts() (counts string) {
	c.t.Helper()
	c.send("STATUS")
	for line := c.line(); line != "OK"; line = c.line() {
		if !strings.HasPrefix(line, "+ ") {
			c.t.Fatalf("STATUS answered %q", line)
		}
		if after, ok := strings.CutPrefix(line, "+ about=counts "); ok {
			counts = after
		}
	}
	return counts
}
