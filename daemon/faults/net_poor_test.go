package faults_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockside/daemon/faults/netns"
	"lockside/ipc"
)

// TestPoorNetwork: locks are held and change hands in a network that loses, delays
// and refuses packets for as long as the test lasts, but leaves a majority.
func TestPoorNetwork(t *testing.T) {
	t.Parallel()
	b := newBench(t, awayTTL, awayTTL, awayTTL)
	all := b.Hosts()
	var table strings.Builder
	table.WriteString("\n| network | grants | locks held | lost |\n| --- | --- | --- | --- |\n")
	for _, poor := range []struct {
		name  string
		worse func()
	}{
		{"30 % loss between hosts and etcd", func() { b.Between(netns.Link{Loss: 0.3}, b.members, all[3:]) }},
		{"30 % loss everywhere", func() { b.Set(netns.Link{Loss: 0.3}, all, all) }},
		{"100 ms each way, everywhere", func() { b.Set(netns.Link{Delay: 100 * time.Millisecond}, all, all) }},
		{"leader out of each host's reach, DROP", func() {
			leader := b.leader(t)
			b.Between(netns.Link{Loss: 1}, b.members[leader:leader+1], all[3:])
		}},
		{"leader out of each host's reach, REJECT", func() {
			leader := b.leader(t)
			b.Between(netns.Link{Reject: true}, b.members[leader:leader+1], all[3:])
		}},
		{"leader unheard by a member", func() {
			leader := b.leader(t)
			next := (leader + 1) % 3
			b.Set(netns.Link{Loss: 1}, b.members[leader:leader+1], b.members[next:next+1])
		}},
	} {
		held := b.vigils(t)
		renewAll(t, held)
		poor.worse()
		before := b.told.count()
		lost := b.crowd(t)
		grants := b.told.count() - before
		for _, v := range held {
			if v.holder.over() {
				lost++
				reason, err := v.holder.end()
				t.Logf("%s: %s was lost by %q, %v", poor.name, v.name, reason, err)
			}
			v.hangUp()
		}
		b.Heal()
		fmt.Fprintf(&table, "| %s | %d | %d | %d |\n", poor.name, grants, len(held), lost)
	}
	b.told.nothingLeft(b.cluster.Client(t))
	t.Log(table.String())
}

// A crowd takes one name and gives it up for a while.
type crowd struct {
	told *record
	lost atomic.Int64 // sessions
}

// crowd has a client of each site be one, and returns how many sessions were lost.
func (b *bench) crowd(t testing.TB) (lost int64) {
	t.Helper()
	c := &crowd{told: b.told}
	ctx, cancel := context.WithTimeout(t.Context(), *poorFor)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range b.sites {
		all.Go(func() { c.takeTurns(ctx, t, s.host) })
	}
	all.Wait()
	return c.lost.Load()
}

// takeTurns locks and unlocks until the context ends. A session that is lost is
// replaced. A network can be too poor for etcd to commit anything, so whoever is
// not answered hangs up.
func (c *crowd) takeTurns(ctx context.Context, t testing.TB, h *host) {
	session, who := h.dial(t), c.told.client("crowd")
	defer func() {
		c.told.closing(who)
		session.hangUp()
	}()
	for ctx.Err() == nil {
		c.told.asks(who, h.config.Host, "crowded")
		err := c.turn(session, who)
		if errors.Is(err, io.EOF) {
			c.lost.Add(1)
			c.told.lost(who, "")
			session.hangUp()
			session = h.dial(t)
		} else if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Logf("%s: %v", h.config.Host, err)
			return
		} else if err != nil {
			t.Errorf("%s: %v", h.config.Host, err)
			return
		}
	}
}

// turn has the name once, or fails to get it in time.
func (c *crowd) turn(session *client, who string) error {
	reply, err := session.try("LOCK crowded wait=2s")
	switch {
	case err != nil:
		return err
	case reply.Code == ipc.CodeTimeout, reply.Code == ipc.CodeUnavailable:
		c.told.refused(who, reply.Code)
		return nil
	case reply.Code != "":
		return fmt.Errorf("LOCK is answered %s", reply.Append(nil))
	}
	c.told.granted(who, grantOf(reply), "crowded")
	c.told.use(who, "crowded", reply.Fields.Int("fence"))
	time.Sleep(time.Millisecond)
	c.told.unlocking(who, "crowded")
	_, err = session.try("UNLOCK crowded")
	if err == nil {
		c.told.unlocked(who, "crowded")
	}
	return err
}

// try makes a request; the error is io.EOF if the session has ended.
func (c *client) try(request string) (ipc.Reply, error) {
	if c.post(request) != nil {
		return ipc.Reply{}, io.EOF
	}
	reply, _, err := c.reply()
	if err == nil && reply.Kind == ipc.KindEvent {
		err = io.EOF
	}
	return reply, err
}
