package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockside/fencing/lab/servers"
)

// callTimeout bounds a call to a member that may be in no state to answer.
const callTimeout = 2 * time.Second

// members are those of the cluster, for a lane of their own: at most one of them
// is away at a time, but for when all are.
type members struct {
	etcd   *servers.Etcd
	client *clientv3.Client
	ledger *ledger
	ttl    time.Duration
}

// connect makes a client of members.
func connect(endpoints ...string) (*clientv3.Client, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	if err != nil {
		return nil, fmt.Errorf("connect to etcd: %w", err)
	}
	return client, nil
}

func (m *members) faults() []fault {
	all := []fault{
		{"all members frozen", 1, m.freezeAll},
		{"history compacted", 3, m.compact},
		{"member defragmented", 1, m.defragment},
	}
	if len(m.etcd.Endpoints) > 1 {
		all = append(all, fault{"member frozen", 4, m.freeze}, fault{"member killed", 4, m.kill}, fault{"leader moved", 2, m.move})
	}
	return all
}

func (m *members) pick(r *rand.Rand) int { return r.IntN(len(m.etcd.Endpoints)) }

// freeze freezes one member, for which there is no bound: the others are a
// majority.
func (m *members) freeze(ctx context.Context, r *rand.Rand) error {
	i := m.pick(r)
	defer m.ledger.begin(span{state: away})()
	since := m.ledger.now()
	if err := m.etcd.Freeze(i); err != nil {
		return err
	}
	wait(ctx, length(r, m.ttl))
	m.ledger.thawing(since)
	return m.thaw(ctx, i)
}

// thaw has a member go on, and waits until it takes part.
func (m *members) thaw(ctx context.Context, i int) error {
	if err := m.etcd.Thaw(i); err != nil {
		return err
	}
	ctx, cancel := undoing(ctx)
	defer cancel()
	return m.etcd.Ready(ctx, i)
}

// kill kills one member and starts it again.
func (m *members) kill(ctx context.Context, r *rand.Rand) error {
	i := m.pick(r)
	defer m.ledger.begin(span{state: away})()
	m.etcd.Kill(i)
	wait(ctx, length(r, m.ttl))
	ctx, cancel := undoing(ctx)
	defer cancel()
	return m.etcd.Restart(ctx, i)
}

// freezeAll has etcd answer nobody. No member notices that the others are away
// too, unless the scheduler lets one run on for longer than an election takes.
func (m *members) freezeAll(ctx context.Context, r *rand.Rand) (err error) {
	defer m.ledger.begin(span{state: noQuorum})()
	since := m.ledger.now()
	for i := range m.etcd.Endpoints {
		if err := m.etcd.Freeze(i); err != nil {
			return err
		}
	}
	wait(ctx, length(r, m.ttl))
	m.ledger.thawing(since)
	for i := range m.etcd.Endpoints {
		err = errors.Join(err, m.etcd.Thaw(i))
	}
	for i := range m.etcd.Endpoints {
		err = errors.Join(err, m.thaw(ctx, i))
	}
	return err
}

// compact forgets all history but the last revision. What a busy member does not
// answer is no fault.
func (m *members) compact(ctx context.Context, _ *rand.Rand) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if resp, err := m.client.Get(ctx, "other"); err == nil {
		_, _ = m.client.Compact(ctx, resp.Header.Revision)
	}
	return nil
}

// defragment holds up one member for as long as it takes.
func (m *members) defragment(ctx context.Context, r *rand.Rand) error {
	defer m.ledger.begin(span{state: away})()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, _ = m.client.Defragment(ctx, m.etcd.Endpoints[m.pick(r)])
	return nil
}

// move asks the leader to let another lead.
func (m *members) move(ctx context.Context, r *rand.Rand) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	next, err := m.client.Status(ctx, m.etcd.Endpoints[m.pick(r)])
	if err != nil {
		return nil
	}
	defer m.ledger.begin(span{state: away})()
	for _, endpoint := range m.etcd.Endpoints {
		status, err := m.client.Status(ctx, endpoint)
		if err != nil || status.Leader != status.Header.MemberId {
			continue
		}
		leader, err := connect(endpoint) // only who leads can be asked
		if err != nil {
			return err
		}
		_, _ = leader.MoveLeader(ctx, next.Header.MemberId)
		return leader.Close()
	}
	return nil
}
