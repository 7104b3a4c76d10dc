package safety

import (
	"context"

	"lockside/fencing/lab/holders"
	"lockside/fencing/lab/servers"
)

// A kind is a system that can be started and struck.
type kind struct {
	System
	fenced  bool
	variant bool // it differs from another one only in how it is struck

	// settings say what to know of how a scenario strikes it, and reasons why one
	// does not.
	settings map[string]string
	reasons  map[string]string

	lacks   func(p servers.Programs) string // how to get what is missing, "" if all is there
	version func(ctx context.Context, p servers.Programs) (string, error)
	start   func(ctx context.Context, s *stage) (rig, error)
}

// A rig is a system that runs, for one story.
type rig interface {
	// holder is how the client of that number, 0 or 1, reaches it.
	holder(client int) holders.Config

	// prepare is before A asks for the lock, and granted once it has it.
	prepare(ctx context.Context) error
	granted(ctx context.Context) error

	// pause and resume are for what stands still and goes on together with A.
	pause() error
	resume() error

	// strike does what the stage's scenario is, but for a pause or a partition.
	strike(ctx context.Context) error

	close()
}

// kinds are all systems, in the order of the table.
func kinds() []kind {
	return []kind{
		locksideKind(), etcdKind(), zooKeeperKind(),
		postgresKind(holders.PostgresOrdered), postgresKind(holders.PostgresNaive),
		redisKind(), redlockKind(redlockServers), redlockKind(redlockQuorum),
		clientAlone(), restoredAtOnce(), oneMember(locksideKind()), oneMember(etcdKind()),
	}
}

// oneMember is a system on a single etcd member, which is struck only by what
// three survive.
func oneMember(k kind) kind {
	start := k.start
	k.Name += ", one member"
	k.About = "The same on a single etcd member."
	k.settings = map[string]string{LostDisk: "The only member. With lockside, B's daemon has looked at it since A's grant, as it does every five seconds."}
	k.reasons = map[string]string{Pause: seeThree, Partition: seeThree, Clock: seeThree, Reset: seeThree,
		Failover: "There is no other server to take its place."}
	k.start = func(ctx context.Context, s *stage) (rig, error) {
		s.members = 1
		return start(ctx, s)
	}
	return k
}

// clientAlone is lockside when a client is paused and its host's daemon is not.
func clientAlone() kind {
	k := locksideKind()
	k.Name, k.variant = k.Name+", client alone paused", true
	k.About = "The same. The host's daemon, which renews what its clients hold, is well."
	k.settings = map[string]string{Pause: "A alone: its host's daemon goes on."}
	k.reasons = map[string]string{Partition: seeHost, Clock: seeHost, Failover: seeHost, LostDisk: seeHost, Reset: seeHost}
	k.start = func(ctx context.Context, s *stage) (rig, error) {
		r, err := startLockside(ctx, s)
		if err != nil {
			return nil, err
		}
		r.alone = true
		return r, nil
	}
	return k
}

// restoredAtOnce is lockside when etcd is set back before B's daemon has seen that
// it was further.
func restoredAtOnce() kind {
	k := locksideKind()
	k.Name, k.variant = atOnceName, true
	k.About = "The same. B's daemon has not heard from etcd since A's grant when that is undone."
	k.settings = map[string]string{
		Reset:    "As lockside, but at once: B's daemon cannot know that etcd was further.",
		LostDisk: "A single etcd member, at once: B's daemon cannot know that etcd was further.",
	}
	k.reasons = map[string]string{Pause: seeLater, Partition: seeLater, Clock: seeLater, Failover: seeLater}
	k.start = func(ctx context.Context, s *stage) (rig, error) {
		if s.scenario == LostDisk {
			s.members = 1
		}
		r, err := startLockside(ctx, s)
		if err != nil {
			return nil, err
		}
		r.atOnce = true
		return r, nil
	}
	return k
}

const atOnceName = Lockside + ", restored at once"

const seeLater = "Told of lockside: it differs only where etcd goes back."

const seeHost = "Told of lockside, where A is paused together with its host."

const seeThree = "Told with three members: it does not depend on their number."
