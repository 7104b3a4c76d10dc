package faults_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"lockside/daemon/faults/netns"
	"lockside/ipc"
)

// cutSites is how many sites are cut off side by side.
const cutSites = 8

// TestPartitions: sites are cut off from etcd at random moments in every way, and
// together with an old leader that goes on to answer for a while. Each lock ends
// at its holder before another site has it, by half the margin at least.
func TestPartitions(t *testing.T) {
	t.Parallel()
	p := &partitioner{t: t, bench: newBench(t, append([]time.Duration{stormTTL}, slices.Repeat([]time.Duration{ttl}, cutSites)...)...), seed: seed(t)}
	for i := range cutSites {
		p.random = append(p.random, random(p.seed, i))
	}
	alone := *partitions * 2 / 3
	var crowd sync.WaitGroup
	for i := range cutSites {
		crowd.Go(func() {
			for round := i; round < alone; round += cutSites {
				all := cuts()
				p.alone(i, all[round%len(all)])
			}
		})
	}
	crowd.Wait()
	for round := alone; round < *partitions && !t.Failed(); round += cutSites {
		p.withLeader()
	}
	p.bench.told.nothingLeft(p.bench.cluster.Client(t))
	t.Log(&p.bounds)
}

// A partitioner cuts sites off. Site 0 never is, and waits for each of the others'
// locks; its TTL has room for an election.
type partitioner struct {
	t      testing.TB
	bench  *bench
	seed   uint64
	bounds bounds

	random []*rand.Rand // of each cut site
}

// prepare has a site hold what site 0 waits for.
func (p *partitioner) prepare(i int) *succession {
	p.t.Helper()
	return newSuccession(p.t, fmt.Sprintf("name-%d", i), p.bench.told, p.bench.sites[1+i].host, p.bench.sites[0].host)
}

// phase is how long to wait for a random moment between two renewals.
func (p *partitioner) phase(i int) time.Duration {
	return time.Duration(p.random[i].Int64N(int64(ttl / 2)))
}

// alone cuts one site off.
func (p *partitioner) alone(i int, c cut) {
	p.t.Helper()
	s := p.prepare(i)
	for s.early(p.phase(i)) {
		p.bounds.falseLoss(c.name)
		s = p.prepare(i)
	}
	began := now()
	if err := c.cut(p.bench, p.bench.sites[1+i]); err != nil {
		p.t.Error(err)
	}
	ended, granted := s.passes(ipc.ReasonDeadline)
	p.add(c.name, began, ended, granted)
	if err := c.end(p.bench, p.bench.sites[1+i]); err != nil {
		p.t.Error(err)
	}
	s.finish()
}

// add notes a round, and holds that the client had half the margin to stop in, even
// where its daemon could still be heard.
func (p *partitioner) add(fault string, began, ended, granted time.Duration) {
	p.t.Helper()
	p.bounds.add(fault, ended-began, granted-began)
	if gap := granted - ended; gap < margin/2 {
		p.t.Errorf("%s: end-of-file came only %v before the next grant", fault, gap)
	}
}

// withLeader cuts all sites but site 0 off, and the leader with them.
func (p *partitioner) withLeader() {
	p.t.Helper()
	const name = "host and leader cut off, DROP"
	var all []*succession
	for i := range cutSites {
		all = append(all, p.prepare(i))
	}
	leader := p.bench.leader(p.t)
	minority := []*netns.Host{p.bench.members[leader]}
	for _, s := range p.bench.sites[1:] {
		minority = append(minority, s.at)
	}
	majority := slices.Delete(slices.Clone(p.bench.members), leader, leader+1)
	time.Sleep(p.phase(0))
	began := now()
	p.bench.Between(netns.Link{Loss: 1}, minority, append(majority, p.bench.sites[0].at))
	var wait sync.WaitGroup
	for _, s := range all {
		wait.Go(func() {
			if ended, granted := s.passes(ipc.ReasonDeadline); ended > began {
				p.add(name, began, ended, granted)
			} else {
				p.bounds.falseLoss(name)
			}
		})
	}
	wait.Wait()
	p.bench.Heal()
	for _, s := range all {
		s.finish()
	}
}
