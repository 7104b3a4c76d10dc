package faults_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// upgrade has a daemon go on in another program, or try to, and waits until it does.
func (p *process) upgrade(sig unix.Signal, says string) {
	p.t.Helper()
	p.signal(sig)
	if line := p.line(); line != says {
		p.t.Fatalf("the daemon says %q, want %q", line, says)
	}
}

// ways are those in which an upgrade ends, and what the daemon of a process says then.
var ways = []struct {
	name string
	sig  unix.Signal
	says string
}{{"done", unix.SIGHUP, "ready"}, {"failed", unix.SIGUSR1, "not upgraded"}}

// TestUpgrade: nobody notices that a daemon goes on in another program, or fails to,
// whatever its session is doing: it holds, waits, is idle, has sent half a line, has
// lines behind a LOCK that waits, has shut its writing side, does not read, or comes
// meanwhile.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			server := etcdtest.Start(t)
			h := newHost(t, "a", server.Endpoint)
			h.config.TTL = longTTL
			p := h.startDaemon(t)
			c := newThrong(t, h)
			for range 3 {
				p.upgrade(way.sig, way.says)
				c.goesOn(t)
			}
			c.ends(t)
			nothingLeft(t, server.Client(t), patience)
			p.stop()
		})
	}
}

// TestUpgradeWaitsForNoOperator: one whose question etcd does not answer keeps nobody
// waiting, and is told that etcd is unavailable.
func TestUpgradeWaitsForNoOperator(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	h := newHost(t, "a", member.Endpoint)
	h.config.TTL = longTTL
	p := h.startDaemon(t)
	idle, operator := h.dial(t), h.dial(t)
	idle.ask("PING")
	h.lock(t, "nightly")
	member.Stop(t)
	operator.send("ACCEPT-RESTORE")
	operator.stillOpen(200 * time.Millisecond)
	began := now()
	p.upgrade(unix.SIGHUP, "ready")
	if took := now() - began; took > 5*time.Second { // half of what the operator's question may take
		t.Errorf("the upgrade took %v", took)
	}
	idle.ask("PING")
	if r, _, err := operator.reply(); err != nil || r.Code != ipc.CodeUnavailable {
		t.Errorf("ACCEPT-RESTORE is answered %s, %v", r.Append(nil), err)
	}
	member.Cont(t)
}

// A throng is clients in all states that a session can be in.
type throng struct {
	h                                                *host
	holder, waiter, idle, half, behind, gone, silent *client
	held, kept                                       grant
	rounds                                           int
	listed                                           int
}

func newThrong(t *testing.T, h *host) *throng {
	t.Helper()
	c := &throng{h: h, idle: h.dial(t), half: h.dial(t), gone: h.dial(t), silent: h.dial(t)}
	c.holder, c.held = h.lock(t, "nightly")
	c.waiter = h.wait(t, "nightly")
	c.behind = h.wait(t, "nightly")
	c.behind.send("PING")
	c.behind.send("CHECK nightly")
	c.idle.ask("HELLO version=1 owner=idler")
	c.kept = c.gone.lock("LOCK kept")
	c.gone.send("LOCK nightly")
	if err := c.gone.conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	c.write(t, c.half, "PI")
	c.listed = 3000 // more replies than its socket takes
	c.write(t, c.silent, strings.Repeat("HELP\n", c.listed))
	return c
}

func (c *throng) write(t *testing.T, to *client, text string) {
	t.Helper()
	if _, err := io.WriteString(to.conn, text); err != nil {
		t.Fatal(err)
	}
}

// goesOn holds that nothing has changed.
func (c *throng) goesOn(t *testing.T) {
	t.Helper()
	c.rounds++
	c.holder.check("nightly", c.held)
	c.write(t, c.half, "NG\nPI")
	if r, _, err := c.half.reply(); err != nil || r.Kind != ipc.KindOK {
		t.Errorf("the other half of a line is answered %s, %v", r.Append(nil), err)
	}
	c.idle.ask("PING")
	if c.rounds == 1 { // what HELLO said is shown of what is locked later
		c.idle.lock("LOCK idle")
	}
	if _, entries := c.idle.ask("WHO idle"); len(entries) != 1 || entries[0].Fields.Get("owner") != "idler" {
		t.Errorf("WHO tells %v", entries)
	}
	for _, waiting := range []*client{c.waiter, c.behind, c.gone, c.silent} {
		if waiting.over() && waiting != c.gone {
			t.Error("a session has ended")
		}
	}
	c.waiter.stillOpen(10 * time.Millisecond)
	c.behind.stillOpen(10 * time.Millisecond)
	later, g := c.h.lock(t, fmt.Sprintf("later-%d", c.rounds))
	later.check(fmt.Sprintf("later-%d", c.rounds), g)
	later.hangUp()
}

// ends hands the lock on, and holds that all is answered.
func (c *throng) ends(t *testing.T) {
	t.Helper()
	c.holder.unlock("nightly")
	next := c.waiter.granted()
	if next.fence <= c.held.fence {
		t.Errorf("fence %d after %d", next.fence, c.held.fence)
	}
	c.waiter.hangUp()
	last := c.behind.granted()
	if last.fence <= next.fence {
		t.Errorf("fence %d after %d", last.fence, next.fence)
	}
	if r, _, err := c.behind.reply(); err != nil || r.Kind != ipc.KindOK {
		t.Errorf("PING behind a LOCK is answered %s, %v", r.Append(nil), err)
	}
	if r, _, err := c.behind.reply(); err != nil || r.Fields.Int("fence") != last.fence {
		t.Errorf("CHECK behind a LOCK is answered %s, %v", r.Append(nil), err)
	}
	c.behind.hangUp()
	if g := c.gone.granted(); g.fence <= last.fence {
		t.Errorf("fence %d after %d", g.fence, last.fence)
	}
	c.gone.lost("")
	for range c.listed {
		if r, before, err := c.silent.reply(); err != nil || r.Kind != ipc.KindOK || len(before) == 0 {
			t.Fatalf("HELP is answered %s after %d lines, %v", r.Append(nil), len(before), err)
		}
	}
	for _, left := range []*client{c.holder, c.idle, c.half, c.silent} {
		left.hangUp()
	}
}

// TestUpgradeOfMany: a daemon with many sessions goes on in another program. Of those
// that hold and those that wait nobody is lost, and the waiters are served after it.
func TestUpgradeOfMany(t *testing.T) {
	t.Parallel()
	const sessions, holders, waiters = 1000, 200, 50
	server := etcdtest.Start(t)
	h := newHost(t, "a", server.Endpoint)
	h.config.TTL = longTTL
	p := h.startDaemon(t)
	all := make([]*client, sessions)
	held := make([]grant, holders)
	for i := range all {
		all[i] = h.dial(t)
		if i < holders {
			all[i].send(fmt.Sprintf("LOCK name-%d", i))
		}
	}
	for i := range held {
		held[i] = all[i].granted()
	}
	for i := range waiters {
		all[holders+i].send(fmt.Sprintf("LOCK name-%d", i))
	}
	awaitQueue(t, server.Client(t), "name-0", 2)
	gap := h.longestGap(t, func() { p.upgrade(unix.SIGHUP, "ready") })
	t.Logf("no request was answered for %v", gap)
	for i, c := range all {
		switch {
		case i < holders:
			c.check(fmt.Sprintf("name-%d", i), held[i])
		case i < holders+waiters:
			c.stillOpen(time.Microsecond)
		default:
			c.ask("PING")
		}
	}
	for i := range waiters {
		all[i].unlock(fmt.Sprintf("name-%d", i))
		if g := all[holders+i].granted(); g.fence <= held[i].fence {
			t.Errorf("fence %d after %d", g.fence, held[i].fence)
		}
	}
}

// longestGap is the longest time that a client waited for an answer while something
// happened.
func (h *host) longestGap(t *testing.T, happens func()) (longest time.Duration) {
	t.Helper()
	witness, done := h.dial(t), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			asked := now()
			witness.ask("PING")
			longest = max(longest, now()-asked)
		}
	})
	happens()
	close(done)
	wait.Wait()
	return longest
}
