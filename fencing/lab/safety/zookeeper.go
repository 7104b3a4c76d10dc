package safety

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"lockside/fencing/lab/holders"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/timeline"
)

func zooKeeperKind() kind {
	return kind{
		System: System{
			Name:      "ZooKeeper",
			About:     "ZooKeeper's lock recipe as go-zookeeper has it, on three servers. A client takes its lock as lost while it is disconnected.",
			Fence:     "czxid of the lock's node, which the library does not tell: a look at the node does",
			Tolerates: "one server of three",
			Clocks:    "no wall clock; the rate of the leader's and the client's monotonic ones",
		},
		fenced: true,
		settings: map[string]string{
			Clock: "The leader.", Failover: "The leader, one of three.", LostDisk: "The leader, one of three.",
			Reset: "The ensemble is made anew, with empty directories.",
		},
		lacks: func(p servers.Programs) string {
			if p.Java == "" || p.ZooKeeper == "" {
				return "there is no java or no zookeeper.jar; apt-get install zookeeper, or point --java and --zookeeper at them"
			}
			return ""
		},
		version: func(ctx context.Context, p servers.Programs) (string, error) {
			return servers.Version(ctx, p.Java, "-cp", p.ZooKeeper, "org.apache.zookeeper.version.VersionInfoMain")
		},
		start: startZooKeeper,
	}
}

type zooRig struct {
	*stage
	servers   *servers.ZooKeeper
	addresses [2][]string
	leader    int
}

func startZooKeeper(ctx context.Context, s *stage) (rig, error) {
	all, err := servers.StartZooKeeper(ctx, s.dir, s.programs.Java, s.programs.ZooKeeper, 3, s.clock(s.programs.Faketime)...)
	if err != nil {
		return nil, err
	}
	r := &zooRig{stage: s, servers: all}
	r.addresses, err = s.linkBoth(all.Addresses...)
	if err == nil {
		r.leader, err = all.Leader(ctx)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *zooRig) holder(client int) holders.Config {
	return holders.Config{Kind: holders.ZooKeeper, Addresses: r.addresses[client], TTL: r.ttl}
}

func (r *zooRig) prepare(ctx context.Context) error {
	if r.scenario == LostDisk {
		return r.servers.Save(ctx, r.leader)
	}
	return nil
}

func (r *zooRig) strike(ctx context.Context) error {
	switch r.scenario {
	case Clock:
		r.note(timeline.Strike, "the leader's wall clock jumps an hour ahead")
		return r.servers.StepClock(r.leader, ahead)
	case Failover:
		r.note(timeline.Strike, "the leader is killed")
		r.servers.Kill(r.leader)
	case LostDisk:
		return r.forget(ctx, r.servers, r.leader)
	case Reset:
		r.note(timeline.Strike, "the ensemble starts anew, on empty directories")
		return r.rebuild(ctx)
	}
	return nil
}

// rebuild leaves the servers nothing but who they are.
func (r *zooRig) rebuild(ctx context.Context) error {
	r.servers.KillAll()
	for i := range r.servers.Addresses {
		if err := os.RemoveAll(filepath.Join(r.servers.Data(i), "version-2")); err != nil {
			return fmt.Errorf("empty a ZooKeeper server: %w", err)
		}
	}
	return r.servers.RestartAll(ctx)
}

func (r *zooRig) close() { r.servers.Stop() }
