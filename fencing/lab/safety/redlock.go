package safety

import (
	"context"

	"lockside/fencing/lab/holders"
)

const (
	redlockServers = 5
	redlockQuorum  = 3
)

// redlockKind is Redlock when A reaches so many of the servers as it asks.
func redlockKind(reached int) kind {
	k := kind{
		System: System{
			Name:      "Redlock",
			About:     "The Go library redsync on five such Redis servers, of which three must agree; extended every third of the TTL.",
			Fence:     "none: its values are random, without an order",
			Tolerates: "two servers of five, as long as those that come back have not forgotten",
			Clocks:    "the servers' wall clocks end the lock; the client's monotonic one, to know of it",
		},
		settings: map[string]string{
			Clock:    "One server of five.",
			Failover: "One server of five has a replica, which is cut off before A asks, and takes its place.",
			LostDisk: "One server of five.",
		},
		reasons: map[string]string{Reset: noFence},
		lacks:   lacksRedis, version: redisVersion,
		start: func(ctx context.Context, s *stage) (rig, error) {
			r := &redisRig{stage: s, kind: holders.Redlock, victim: redlockQuorum - 1, missed: redlockServers - reached}
			return startRedisRig(ctx, s, r, redlockServers)
		},
	}
	if reached < redlockServers {
		k.Name, k.variant = "Redlock, three of five reached", true
		k.About = "The same. As A asks, two of the servers do not hear of it."
		k.reasons = map[string]string{Reset: noFence, Pause: seeAll, Partition: seeAll}
	}
	return k
}

const noFence = "There is no fence."

const seeAll = "Told of Redlock: it does not depend on how many servers A reached."
