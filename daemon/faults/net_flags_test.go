package faults_test

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

// How much the tests of a faulty network do.
var (
	partitions = flag.Int("faults.partitions", less(60, 24), "how often a host is partitioned from etcd")
	stormFor   = flag.Duration("faults.storm", less(25*time.Second, 15*time.Second), "how long a storm lasts")
	poorFor    = flag.Duration("faults.poor", less(8*time.Second, 5*time.Second), "how long each poor network lasts")
	kills      = flag.Int("faults.kills", less(12, 6), "how many daemons are killed and restarted, and are killed and not restarted")
	tampers    = flag.Int("faults.tampers", less(12, 6), "how often a lease is revoked, an entry deleted and a daemon stopped")
	away       = flag.Int("faults.away", 1, "how often each member is away in each way")
	linked     = flag.Int("faults.links", less(2, 1), "how many members' links are bad in each way")
	randomFor  = flag.Duration("faults.random", less(30*time.Second, 15*time.Second), "how long faults happen at random")
	seedFlag   = flag.Uint64("faults.seed", 0, "repeats the schedule of a run; 0 is another one each time")
)

// less is how much of something the race detector leaves time for.
func less[T any](usual, fewer T) T {
	if raced {
		return fewer
	}
	return usual
}

// seed is what the random choices of a test are made of.
func seed(t testing.TB) uint64 {
	t.Helper()
	s := *seedFlag
	for s == 0 {
		s = rand.Uint64()
	}
	t.Logf("-faults.seed=%d", s)
	return s
}

// random makes the choices of one of the seed's goroutines.
func random(seed uint64, goroutine int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(goroutine)))
}
