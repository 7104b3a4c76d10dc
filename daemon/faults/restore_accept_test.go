package faults_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// A comeback is a daemon whose etcd has come back, behind what the daemon had seen.
type comeback struct {
	host    *host
	server  *etcdtest.Server
	process *process
	highest grant // before
}

// comeBack has etcd go back while a daemon runs that holds nothing, and waits until
// the daemon knows and has seen what there is.
func comeBack(t *testing.T, r regression) *comeback {
	t.Helper()
	c := &comeback{server: etcdtest.Start(t)}
	c.host = newHost(t, "a", c.server.Endpoint)
	c.process = c.host.startDaemon(t)
	putBack := r.prepare(t, c.server)
	for range 5 {
		holder, g := c.host.lock(t, "nightly")
		c.highest = g
		holder.unlock("nightly")
		holder.hangUp()
	}
	putBack()
	c.host.awaitRegressed(t)
	return c
}

// awaitRegressed waits until a daemon knows how far etcd went back, and returns what
// STATUS says of it.
func (h *host) awaitRegressed(t testing.TB) (store ipc.Fields) {
	t.Helper()
	c := h.dial(t)
	eventually(t, patience, "regression", func() bool {
		store = c.store()
		return store.Get("health") == "regressed" && store.Int("revision") > 0
	})
	c.hangUp()
	return store
}

// store is what STATUS says of what holds the locks.
func (c *client) store() ipc.Fields {
	c.t.Helper()
	_, lines := c.ask("STATUS")
	for _, line := range lines {
		if line.Fields.Get("about") == "store" {
			return line.Fields
		}
	}
	return nil
}

// accept has a daemon accept what etcd went back to, and waits until it serves again.
func (h *host) accept(t testing.TB, request string) (reply ipc.Fields) {
	t.Helper()
	c := h.dial(t)
	last, _ := c.ask(request)
	if last.Fields.Int("accepted") != 1 {
		t.Fatalf("%s is answered %s", request, last.Append(nil))
	}
	if reason, err := c.end(); err != nil || reason != "" {
		t.Errorf("after OK comes %q, %v", reason, err)
	}
	return last.Fields
}

// goesOn holds that a host grants again, above a fence, and leaves nothing.
func (c *comeback) goesOn(t *testing.T, above int64) {
	t.Helper()
	holder, g := c.host.lock(t, "nightly")
	if g.fence <= above {
		t.Errorf("fence %d after %d", g.fence, above)
	}
	if health := holder.health(); health != "ok" {
		t.Errorf("STATUS says health=%s", health)
	}
	holder.unlock("nightly")
	holder.hangUp()
	nothingLeft(t, c.server.Client(t), atOnce)
}

// TestRestoreIsAcceptedOnceFencesRise: it is refused while etcd is behind, with the
// way out in words, and raising the revision is one.
func TestRestoreIsAcceptedOnceFencesRise(t *testing.T) {
	t.Parallel()
	for _, r := range regressions() {
		t.Run(r.name, func(t *testing.T) {
			c := comeBack(t, r)
			store := c.host.awaitRegressed(t)
			behind := store.Int("remembered") - store.Int("revision")
			if behind <= 0 || store.Int("remembered") < c.highest.fence {
				t.Fatalf("STATUS says %v after fence %d", store, c.highest.fence)
			}
			operator := c.host.dial(t)
			for _, request := range []string{"ACCEPT-RESTORE", "ACCEPT-RESTORE lower-fences=1"} {
				refused, _ := operator.ask(request)
				for _, word := range []string{
					fmt.Sprintf(" behind %d,", store.Int("remembered")), "--bump-revision 1000000000 --mark-compacted",
					"--raise", fmt.Sprintf("--lower-fences %d", store.Int("remembered")),
				} {
					if refused.Code != ipc.CodeRegressed || !strings.Contains(refused.Text, word) {
						t.Errorf("%s is answered %s, want %q in it", request, refused.Append(nil), word)
					}
				}
			}
			refusesAll(t, operator)
			reply := c.host.accept(t, "ACCEPT-RESTORE raise")
			if reply.Int("revision") < reply.Int("remembered") || reply.Int("remembered") < c.highest.fence {
				t.Errorf("accepted with %v", reply)
			}
			operator.lost(ipc.ReasonShutdown)
			c.goesOn(t, c.highest.fence)
			c.process.kill()
			c.host.startDaemon(t)
			c.goesOn(t, c.highest.fence)
			if last, _ := c.host.dial(t).ask("ACCEPT-RESTORE"); last.Fields.Get("accepted") != "0" {
				t.Errorf("with nothing to accept it is answered %s", last.Append(nil))
			}
		})
	}
}

// TestRestoreIsNotRaisedWithoutSpace: who has revisions raised is told why etcd does not
// take them.
func TestRestoreIsNotRaisedWithoutSpace(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h := newHost(t, "a", server.Endpoint)
	h.startDaemon(t)
	for range 40 { // more revisions than it takes to exhaust etcd
		c, _ := h.lock(t, "nightly")
		c.unlock("nightly")
		c.hangUp()
	}
	server.Replace(t, etcdtest.WithClusterToken("another"), etcdtest.WithQuota(4<<20))
	exhaust(t, server.Client(t))
	h.awaitRegressed(t)
	operator := h.dial(t)
	if r, _ := operator.ask("ACCEPT-RESTORE raise"); r.Code != ipc.CodeUnavailable || !strings.Contains(r.Text, "space") {
		t.Errorf("without space it is answered %s", r.Append(nil))
	}
	makeRoom(t, server.Client(t), server.Endpoint)
	h.accept(t, "ACCEPT-RESTORE raise")
	h.lock(t, "nightly")
}

// TestRestoreFurtherAhead: what has come as far as the host remembers, by whatever
// it was written, is accepted as it is, though not by itself.
func TestRestoreFurtherAhead(t *testing.T) {
	t.Parallel()
	for _, r := range regressions() {
		t.Run(r.name, func(t *testing.T) {
			c := comeBack(t, r)
			etcd := c.server.Client(t)
			for revision := int64(0); revision < c.highest.fence+10; {
				put, err := etcd.Put(soon(t), "other", "")
				if err != nil {
					t.Fatal(err)
				}
				revision = put.Header.Revision
			}
			c.process.kill()
			c.process = c.host.startDaemon(t)
			refusesAll(t, c.host.dial(t))
			c.host.accept(t, "ACCEPT-RESTORE")
			c.goesOn(t, c.highest.fence)
		})
	}
}

// TestRestoreWithLowerFences: an operator who names the revision that is remembered
// has it so, and it stays so.
func TestRestoreWithLowerFences(t *testing.T) {
	t.Parallel()
	c := comeBack(t, regressions()[0])
	remembered := c.host.awaitRegressed(t).Int("remembered")
	reply := c.host.accept(t, fmt.Sprintf("ACCEPT-RESTORE lower-fences=%d", remembered))
	if reply.Int("revision") >= remembered {
		t.Errorf("accepted with %v", reply)
	}
	c.goesOn(t, reply.Int("revision"))
	c.process.kill()
	c.host.startDaemon(t)
	c.goesOn(t, reply.Int("revision"))
}

// TestRestoreCrashWhileAccepting: a daemon that is killed at any moment, a later one
// each time, has accepted or has not, and says which.
func TestRestoreCrashWhileAccepting(t *testing.T) {
	t.Parallel()
	c := comeBack(t, regressions()[0])
	for after := time.Millisecond; after < patience; after += after / 4 {
		request := fmt.Sprintf("ACCEPT-RESTORE lower-fences=%d", c.host.awaitRegressed(t).Int("remembered"))
		c.host.dial(t).send(request)
		time.Sleep(after)
		c.process.kill()
		c.process = c.host.startDaemon(t)
		operator := c.host.dial(t)
		if last, _ := operator.ask("LOCK nightly"); last.Kind == ipc.KindOK {
			operator.hangUp()
			c.goesOn(t, last.Fields.Int("fence"))
			return
		}
		refusesAll(t, operator)
	}
	t.Error("it is never accepted")
}
