package safety

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"

	"lockside/fencing/lab/holders"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/timeline"
)

func etcdKind() kind {
	return kind{
		System: System{
			Name:      "etcd Mutex",
			About:     "etcd's package concurrency: a session and a Mutex, on three members.",
			Fence:     "create revision of the lock's key",
			Tolerates: "one member of three",
			Clocks:    "no wall clock; the rate of the leader's and the client's monotonic ones",
		},
		fenced: true,
		settings: map[string]string{
			Clock: "The leader.", Failover: "The leader, one of three.", LostDisk: "The leader, one of three.",
			Reset: "All members are restored from a snapshot of before A's grant, without --bump-revision.",
		},
		lacks: func(servers.Programs) string { return "" },
		version: func(ctx context.Context, p servers.Programs) (string, error) {
			return servers.Version(ctx, p.Etcd, "--version")
		},
		start: func(ctx context.Context, s *stage) (rig, error) { return startEtcd(ctx, s) },
	}
}

type etcdRig struct {
	*stage
	servers   *servers.Etcd
	addresses [2][]string
	leader    int
	snapshot  string // file
}

func startEtcd(ctx context.Context, s *stage) (*etcdRig, error) {
	all, err := servers.StartEtcd(ctx, s.dir, s.programs.Etcd, s.members, s.clock("")...)
	if err != nil {
		return nil, err
	}
	var targets []string
	for _, url := range all.Endpoints {
		targets = append(targets, strings.TrimPrefix(url, "http://"))
	}
	r := &etcdRig{stage: s, servers: all, snapshot: filepath.Join(s.dir, "snapshot")}
	r.addresses, err = s.linkBoth(targets...)
	if err == nil {
		r.leader, err = all.Leader(ctx)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *etcdRig) holder(client int) holders.Config {
	return holders.Config{Kind: holders.Etcd, Addresses: r.addresses[client], TTL: r.ttl}
}

// prepare saves what the cluster is set back to. Other work follows before A asks,
// as there is some in any etcd.
func (r *etcdRig) prepare(ctx context.Context) error {
	switch r.scenario {
	case LostDisk:
		return r.servers.Save(ctx, r.leader)
	case Reset:
		config := clientv3.Config{Endpoints: r.servers.Endpoints[:1], Logger: zap.NewNop()}
		if _, err := snapshot.NewV3(zap.NewNop()).Save(ctx, config, r.snapshot); err != nil {
			return fmt.Errorf("save a snapshot of etcd: %w", err)
		}
		client, err := clientv3.New(config)
		if err != nil {
			return err
		}
		defer client.Close()
		for range 5 {
			if _, err := client.Put(ctx, "other", "work"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *etcdRig) strike(ctx context.Context) error {
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
		r.note(timeline.Strike, "the cluster is restored from a snapshot")
		return r.restore(ctx)
	}
	return nil
}

// restore is what etcdutl snapshot restore does, on every member.
func (r *etcdRig) restore(ctx context.Context) error {
	r.servers.KillAll()
	for i := range r.servers.Endpoints {
		if err := os.RemoveAll(r.servers.Data(i)); err != nil {
			return fmt.Errorf("empty an etcd member: %w", err)
		}
		name, peer := r.servers.Member(i)
		err := snapshot.NewV3(zap.NewNop()).Restore(snapshot.RestoreConfig{
			SnapshotPath: r.snapshot, Name: name, OutputDataDir: r.servers.Data(i),
			PeerURLs: []string{peer}, InitialCluster: r.servers.Cluster, InitialClusterToken: "etcd-cluster",
		})
		if err != nil {
			return fmt.Errorf("restore an etcd member: %w", err)
		}
	}
	return r.servers.RestartAll(ctx)
}

func (r *etcdRig) close() { r.servers.Stop() }
