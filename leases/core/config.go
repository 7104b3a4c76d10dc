package core

import "time"

// Config is what a Machine is told once.
type Config struct {
	// DefaultTTL is the TTL of requests that name none; its lease is granted
	// ahead of the first request.
	DefaultTTL time.Duration

	// Margin is how long before its deadline a lease of the given granted TTL
	// ends its sessions.
	Margin func(ttl time.Duration) time.Duration

	// LeaseID chooses the id of the next lease; it never repeats one.
	LeaseID func() int64

	// Prefix is what all our keys begin with.
	Prefix string

	// EntriesPerLease bounds the entries on one lease: etcd deletes them in one
	// go when the lease ends.
	EntriesPerLease int

	// Window bounds the entries that this host has in one queue; further
	// requests stand in line in here. etcd sorts a whole queue to answer for it.
	Window int

	// LocksPerSession and WaitersPerName bound what clients can ask for.
	LocksPerSession, WaitersPerName int

	// TTLs bounds the TTLs in use at once, the default one aside: each costs
	// etcd a lease and its renewals.
	TTLs int

	// BatchOps is etcd's max-txn-ops; it shrinks when etcd refuses a batch as
	// too large. BatchesInFlight bounds the unanswered batches of one lease.
	BatchOps, BatchesInFlight int

	// RequestTimeout bounds a request that does not wait when etcd is silent.
	RequestTimeout time.Duration

	// WatchDelay is how long an entry lives before its queue is watched for it;
	// WatchLinger is how long a watch outlives the last entry.
	WatchDelay, WatchLinger time.Duration

	// PollEvery is the time between two reads of a queue in which somebody
	// waits for an entry of another host; ReconcileEvery is the time between
	// two comparisons of a lease's keys with our entries.
	PollEvery, ReconcileEvery time.Duration

	// IdleLease is how long a lease without entries is kept, but for the one of
	// the default TTL.
	IdleLease time.Duration
}

// WithDefaults fills in what was left zero.
func (c Config) WithDefaults() Config {
	fill(&c.DefaultTTL, 15*time.Second)
	fill(&c.EntriesPerLease, 500)
	fill(&c.Window, 16)
	fill(&c.LocksPerSession, 64)
	fill(&c.WaitersPerName, 10_000)
	fill(&c.TTLs, 32)
	fill(&c.BatchOps, 128)
	fill(&c.BatchesInFlight, 4)
	fill(&c.RequestTimeout, 5*time.Second)
	fill(&c.WatchDelay, 100*time.Millisecond)
	fill(&c.WatchLinger, time.Second)
	fill(&c.PollEvery, 3*time.Second)
	fill(&c.ReconcileEvery, 10*time.Second)
	fill(&c.IdleLease, time.Minute)
	if c.Margin == nil {
		c.Margin = DefaultMargin
	}
	return c
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// DefaultMargin is a sixth of the TTL and at least a second: an old etcd
// leader may answer for up to two election time-outs.
func DefaultMargin(ttl time.Duration) time.Duration {
	return max(ttl/6, time.Second)
}
