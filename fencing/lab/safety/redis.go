package safety

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"lockside/fencing/lab/holders"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/timeline"
	"lockside/fencing/lab/wire"
)

func redisKind() kind {
	return kind{
		System: System{
			Name:      "Redis",
			About:     "SET NX PX and INCR in one script on one server that syncs each write; renewed every third of the TTL; released by a script that compares.",
			Fence:     "a counter beside the lock, drawn in the same script",
			Tolerates: "nothing: one server, replicated asynchronously",
			Clocks:    "the server's wall clock ends the lock; the client's monotonic one, to know of it",
		},
		fenced:   true,
		settings: map[string]string{Failover: "A replica follows asynchronously. It is cut off before A asks, and promoted when the primary is dead."},
		lacks:    lacksRedis, version: redisVersion, start: startRedis,
	}
}

func lacksRedis(p servers.Programs) string {
	if p.Redis == "" {
		return "there is no redis-server; apt-get install redis-server, or point --redis at one"
	}
	return ""
}

func redisVersion(ctx context.Context, p servers.Programs) (string, error) {
	return servers.Version(ctx, p.Redis, "--version")
}

// redisRig is servers of which clients know the first ones; the last is a replica
// of one of these where the scenario needs it.
type redisRig struct {
	*stage
	servers   *servers.Redis
	kind      string
	addresses [2][]string
	victim    int // that is struck
	missed    int // servers that A does not reach as it asks, the last ones
	replica   *wire.Link
}

func startRedis(ctx context.Context, s *stage) (rig, error) {
	return startRedisRig(ctx, s, &redisRig{stage: s, kind: holders.Redis}, 1)
}

func startRedisRig(ctx context.Context, s *stage, r *redisRig, n int) (rig, error) {
	spare := 0
	if s.scenario == Failover {
		spare = 1
	}
	all, err := servers.StartRedis(ctx, s.dir, s.programs.Redis, n+spare, s.clock(s.programs.Faketime)...)
	if err != nil {
		return nil, err
	}
	r.servers = all
	r.addresses, err = s.linkBoth(all.Addresses[:n]...)
	if err == nil && spare > 0 {
		err = r.follow(ctx)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// follow has the last server replicate the victim, over a link.
func (r *redisRig) follow(ctx context.Context) (err error) {
	if r.replica, err = wire.New(r.servers.Addresses[r.victim]); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(r.replica.Address)
	if err != nil {
		return err
	}
	client := redis.NewClient(&redis.Options{Addr: r.spare()})
	defer client.Close()
	if err := client.ReplicaOf(ctx, host, port).Err(); err != nil {
		return fmt.Errorf("make a replica of Redis: %w", err)
	}
	return until(ctx, func() (bool, error) {
		info, err := client.Info(ctx, "replication").Result()
		return strings.Contains(info, "master_link_status:up"), err
	})
}

func (r *redisRig) spare() string { return r.servers.Addresses[len(r.servers.Addresses)-1] }

func (r *redisRig) holder(client int) holders.Config {
	return holders.Config{Kind: r.kind, Addresses: r.addresses[client], TTL: r.ttl}
}

func (r *redisRig) prepare(ctx context.Context) error {
	for _, l := range r.unreached() {
		l.Cut()
	}
	switch r.scenario {
	case Failover:
		r.replica.Cut()
		r.note(timeline.Note, "replication stands still")
	case LostDisk:
		return r.servers.Save(ctx, r.victim)
	}
	return nil
}

// unreached are A's links to the servers that do not hear of its lock.
func (r *redisRig) unreached() []*wire.Link {
	links := r.links[0]
	return links[len(links)-r.missed:]
}

func (r *redisRig) granted(context.Context) error {
	for _, l := range r.unreached() {
		l.Drop()
	}
	return nil
}

func (r *redisRig) strike(ctx context.Context) error {
	switch r.scenario {
	case Clock:
		r.note(timeline.Strike, "a server's wall clock jumps an hour ahead")
		return r.servers.StepClock(r.victim, ahead)
	case Failover:
		return r.promote(ctx)
	case LostDisk:
		return r.forget(ctx, r.servers, r.victim)
	case Reset:
		r.note(timeline.Strike, "the counter is deleted")
		client := redis.NewClient(&redis.Options{Addr: r.servers.Addresses[0]})
		defer client.Close()
		return client.Del(ctx, holders.Counter(lockName)).Err()
	}
	return nil
}

// promote kills the primary and has its replica take its place.
func (r *redisRig) promote(ctx context.Context) error {
	r.servers.Kill(r.victim)
	r.note(timeline.Strike, "the primary is killed, its replica promoted")
	client := redis.NewClient(&redis.Options{Addr: r.spare()})
	defer client.Close()
	if err := client.ReplicaOf(ctx, "NO", "ONE").Err(); err != nil {
		return fmt.Errorf("promote a replica of Redis: %w", err)
	}
	r.retarget(r.victim, r.spare())
	return nil
}

func (r *redisRig) close() {
	if r.replica != nil {
		r.replica.Close()
	}
	r.servers.Stop()
}

// until asks again and again, until it is so.
func until(ctx context.Context, is func() (bool, error)) error {
	for {
		ok, err := is()
		if ok {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}
