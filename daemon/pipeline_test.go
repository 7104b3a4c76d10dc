package daemon_test

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"lockside/ipc"
)

// TestPipeline sends 10,000 requests without waiting for a reply.
func TestPipeline(t *testing.T) {
	h, bystander := beside(t)
	for name, pair := range map[string][2]string{
		"PING":            {"PING", "PING"},
		"LOCK and UNLOCK": {"LOCK busy", "UNLOCK busy"},
	} {
		t.Run(name, func(t *testing.T) {
			const pairs = 5000
			c := h.with(t).dial()
			var sending sync.WaitGroup
			sending.Go(func() {
				_, err := c.Write([]byte(strings.Repeat(pair[0]+"\n"+pair[1]+"\n", pairs)))
				if err != nil {
					t.Error(err)
				}
			})
			for range pairs {
				for _, request := range pair {
					switch request {
					case "PING":
						c.expect("OK")
					case "LOCK busy":
						c.expect("OK fence=<int> cluster=<hex> lease=<hex> ttl=15s until=<duration> key=lockside/busy/<key>")
					default:
						c.expect("OK held=<duration>")
					}
				}
			}
			sending.Wait()
			c.Close()
			bystander.alone()
		})
	}
}

// fill sends requests until the socket takes no more for a while, and never
// reads.
func fill(t *testing.T, c *client, request string) {
	t.Helper()
	many := []byte(strings.Repeat(request+"\n", 1000))
	for {
		if err := c.SetWriteDeadline(time.Now().Add(300 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		_, err := c.Write(many)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestNeverReads holds that a client that does not read its replies keeps its
// session and its lock, disturbs nobody, and leaves nothing when it goes.
func TestNeverReads(t *testing.T) {
	h, bystander := beside(t)
	c := h.dial()
	kept := c.lock("kept")
	fill(t, c, "HELP")
	bystander.undisturbed()
	bystander.awaitCounts("sessions=2 held=2 waiting=0")
	bystander.ask("WHO kept", "+ role=holder fence="+kept+" host=<word> pid=<int> uid=<int> [user=<word>] [comm=<word>] [unit=<word>] since=<time>", "OK count=1")
	c.Close()
	bystander.alone()
}

// TestNeverReadsItsLoss holds that the end reaches a client whose socket is full.
func TestNeverReadsItsLoss(t *testing.T) {
	h, bystander := beside(t)
	c := h.dial()
	c.lock("kept")
	keys := h.entries()
	fill(t, c, "PING")
	for _, key := range keys {
		if strings.Contains(key, "/kept/") {
			if _, err := h.etcd.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
	}
	bystander.alone()
	for line := c.line(); line != "<eof>"; line = c.line() {
		if line != "OK" && line != "! LOST reason=entry-deleted" {
			t.Fatalf("got %q", line)
		}
	}
}

// TestPromise11Behind holds that what a client sends behind a waiting LOCK is
// bounded, that the LOST is the documented one, and that it is never more than
// that: a session that can go on within the second loses nothing.
func TestPromise11Behind(t *testing.T) {
	h, bystander := beside(t)
	c := h.dial()
	c.send("LOCK bystander")
	c.write(strings.Repeat("PING\n", ipc.MaxBehind/5))
	bystander.awaitCounts("sessions=2 held=1 waiting=1")
	c.write(strings.Repeat("PING\n", 1000))
	c.expect("! LOST reason=limit", "<eof>")
	bystander.alone()

	// A second LOCK in the backlog has a second of its own, and no more, though
	// what stands behind it is too much from the start.
	holder := h.dial()
	holder.lock("x")
	holder.lock("y")
	c = h.dial()
	c.send("LOCK x", "LOCK y")
	c.write(strings.Repeat("PING"+strings.Repeat(" ", 8000)+"\n", 10))
	bystander.awaitCounts("sessions=3 held=3 waiting=1")
	holder.ask("UNLOCK x", "OK held=<duration>")
	c.expect("OK fence=<int> cluster=<hex> lease=<hex> ttl=15s until=<duration> key=lockside/x/<key>", "! LOST reason=limit", "<eof>")
	holder.ask("QUIT", "OK", "<eof>")
	bystander.alone()
}

// TestPromise11BehindLeaves holds that with that much behind a LOCK a client
// that hangs up leaves the queue all the same.
func TestPromise11BehindLeaves(t *testing.T) {
	h, bystander := beside(t)
	for range 3 {
		c := h.dial()
		c.send("LOCK bystander")
		fill(t, c, strings.Repeat("LOCK bystander\n", 50)+"PING")
		c.Close()
	}
	bystander.alone()
}
