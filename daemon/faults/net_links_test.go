package faults_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockside/daemon/faults/netns"
)

// A badness is what a link can be: what becomes of packets there and back.
type badness struct {
	name        string
	there, back netns.Link
}

func badnesses() []badness {
	lost, refused := netns.Link{Loss: 1}, netns.Link{Reject: true}
	poor, late := netns.Link{Loss: 0.3}, netns.Link{Delay: 300 * time.Millisecond}
	return []badness{
		{"DROP", lost, lost},
		{"REJECT", refused, refused},
		{"lost on the way there", lost, netns.Link{}},
		{"lost on the way back", netns.Link{}, lost},
		{"30 % lost", poor, poor},
		{"0.3 s each way", late, late},
	}
}

// TestBadLinks: whatever becomes of the packets between one member and the hosts,
// or the other members, or all of them, until every daemon has renewed its lease,
// no lock is lost.
func TestBadLinks(t *testing.T) {
	t.Parallel()
	for name, beyond := range map[string]func(*bench) []*netns.Host{
		"hosts":         func(b *bench) []*netns.Host { return b.Hosts()[3:] },
		"other members": func(b *bench) []*netns.Host { return b.members },
		"all":           func(b *bench) []*netns.Host { return b.Hosts() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, awayTTL, awayTTL)
			l := &links{t: t, bench: b, beyond: beyond(b), all: b.vigils(t)}
			l.table.WriteString("\n| a member and " + name + " | rounds | least time left to a lease | false losses |\n| --- | --- | --- | --- |\n")
			for _, bad := range badnesses() {
				l.rounds(bad.name, func(m *netns.Host) {
					b.Set(bad.there, l.beyond, []*netns.Host{m})
					b.Set(bad.back, []*netns.Host{m}, l.beyond)
				})
			}
			if name == "all" {
				l.rounds("link down", func(m *netns.Host) { l.must(m.Down()) })
			}
			endAll(l.all)
			b.told.nothingLeft(b.cluster.Client(t))
			t.Log(l.table.String())
		})
	}
}

// Links make those of each member bad, one after the other.
type links struct {
	t      *testing.T
	bench  *bench
	beyond []*netns.Host
	all    []*vigil
	next   int // member
	table  strings.Builder
}

func (l *links) rounds(name string, worse func(*netns.Host)) {
	l.t.Helper()
	least := awayTTL
	for range *linked {
		i := l.next % len(l.bench.members)
		l.next++
		l.t.Logf("%s: member %d, and %d leads", name, i, l.bench.leader(l.t))
		worse(l.bench.members[i])
		least = min(least, renewAll(l.t, l.all))
		l.bench.Heal()
		l.must(l.bench.members[i].Up())
		renewAll(l.t, l.all) // by then the members' connections are whole again as well
	}
	fmt.Fprintf(&l.table, "| %s | %d | %s | 0 |\n", name, *linked, seconds(least))
}

func (l *links) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}
