package safety

import (
	"context"
	"time"

	"lockside/fencing/lab/holders"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/timeline"
)

func locksideKind() kind {
	k := etcdKind()
	k.System = System{
		Name:      Lockside,
		About:     "locksided on the hosts of A and B, on three etcd members; clients use package ipc.",
		Fence:     "create revision of the lock's entry",
		Tolerates: "one member of three",
		Clocks:    "no wall clock; the rate of etcd's leader's monotonic one and of the host's CLOCK_BOOTTIME",
	}
	k.settings[Pause] = "A and the daemon of its host, as when a host stands still."
	k.settings[Reset] += " B's daemon has looked at etcd since the grant, as it does every five seconds."
	k.settings[Clock] = "etcd's leader, and the host of A as well."
	k.settings[Partition] = "A's host is cut off from etcd."
	k.version = func(ctx context.Context, p servers.Programs) (string, error) {
		return servers.Version(ctx, p.Locksided, "version")
	}
	k.start = func(ctx context.Context, s *stage) (rig, error) { return startLockside(ctx, s) }
	return k
}

// Lockside is the name of the system whose promises are held.
const Lockside = "lockside"

// locksideRig is etcd with a daemon for each client.
type locksideRig struct {
	*etcdRig
	daemons []*servers.Locksided
	atOnce  bool // etcd is restored before B's daemon looks at it again
	alone   bool // A's daemon goes on when A is paused
}

func startLockside(ctx context.Context, s *stage) (*locksideRig, error) {
	etcd, err := startEtcd(ctx, s)
	if err != nil {
		return nil, err
	}
	r := &locksideRig{etcdRig: etcd}
	for i, addresses := range etcd.addresses {
		var endpoints []string
		for _, a := range addresses {
			endpoints = append(endpoints, "http://"+a)
		}
		d, err := servers.StartLocksided(ctx, s.dir, s.programs.Locksided, endpoints, servers.Host{Number: i, TTL: s.ttl}, s.clock("")...)
		if err != nil {
			r.close()
			return nil, err
		}
		r.daemons = append(r.daemons, d)
	}
	return r, nil
}

func (r *locksideRig) holder(client int) holders.Config {
	return holders.Config{Kind: holders.Lockside, Addresses: []string{r.daemons[client].Socket}, TTL: r.ttl}
}

// pause has the whole host of A stand still.
func (r *locksideRig) pause() error {
	if r.alone {
		return nil
	}
	r.note(timeline.Strike, "A's daemon is paused with it")
	return r.daemons[0].Freeze(0)
}

func (r *locksideRig) resume() error {
	if r.alone {
		return nil
	}
	return r.daemons[0].Thaw(0)
}

// probe is longer than the time between two looks of a daemon at an etcd member
// that is well.
const probe = 7 * time.Second

func (r *locksideRig) strike(ctx context.Context) error {
	if goesBack := r.scenario == Reset || r.scenario == LostDisk && r.members == 1; goesBack && !r.atOnce {
		select {
		case <-time.After(probe):
		case <-ctx.Done():
		}
	}
	if r.scenario == Clock {
		r.note(timeline.Strike, "the clock of A's host jumps an hour ahead")
		if err := r.daemons[0].StepClock(0, ahead); err != nil {
			return err
		}
	}
	return r.etcdRig.strike(ctx)
}

func (r *locksideRig) close() {
	for _, d := range r.daemons {
		d.Stop()
	}
	r.etcdRig.close()
}
