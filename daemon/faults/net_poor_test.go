package faults_test

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		c := b.crowd(t)
		lost := c.lost.Load()
		for _, v := range held {
			if v.holder.over() {
				lost++
				reason, err := v.holder.end()
				t.Logf("%s: %s was lost by %q, %v", poor.name, v.name, reason, err)
			}
			v.holder.hangUp()
			v.waiter.hangUp()
		}
		b.Heal()
		fmt.Fprintf(&table, "| %s | %d | %d | %d |\n", poor.name, c.told.count(), len(held), lost)
	}
	t.Log(table.String())
}

// A crowd takes one name and gives it up for a while.
type crowd struct {
	told *history
	lost atomic.Int64 // sessions
}

func (b *bench) crowd(t testing.TB) *crowd {
	t.Helper()
	c := &crowd{told: &history{t: t}}
	ctx, cancel := context.WithTimeout(t.Context(), *poorFor)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range b.sites {
		all.Go(func() { c.takeTurns(ctx, t, s.host) })
	}
	all.Wait()
	return c
}

// takeTurns locks and unlocks until the context ends. A session that is lost is
// replaced.
func (c *crowd) takeTurns(ctx context.Context, t testing.TB, h *host) {
	session := h.dial(t)
	defer func() { session.hangUp() }()
	for ctx.Err() == nil {
		err := c.turn(session, h.config.Host)
		if errors.Is(err, io.EOF) {
			c.lost.Add(1)
			session.hangUp()
			session = h.dial(t)
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
		return nil
	case reply.Code != "":
		return fmt.Errorf("LOCK is answered %s", reply.Append(nil))
	}
	c.told.enter(who, reply.Fields.Int("fence"))
	time.Sleep(time.Millisecond)
	c.told.leave(who)
	_, err = session.try("UNLOCK crowded")
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
