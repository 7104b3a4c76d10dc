package core

import "time"

// SessionID names a session. The caller chooses it and never repeats one.
type SessionID uint64

// Forever, as Lock.Wait, waits without a limit.
const Forever time.Duration = -1

// An Event is what happened: a session asked, time passed, or etcd answered.
type Event interface{ apply(m *Machine) }

// Events of sessions. One of an unknown or ended session is ignored.
type (
	// Open begins a session.
	Open struct{ Session SessionID }

	// Lock asks for names, all or none. It is answered by Granted, Refused or Lost.
	Lock struct {
		Session SessionID
		Names   []string
		TTL     time.Duration // zero for the default
		Wait    time.Duration // zero tries; Forever
		Value   []byte        // of each entry
	}

	// Unlock gives names up. It is answered by Released, Refused or Lost.
	Unlock struct {
		Session SessionID
		Names   []string
		Fence   int64 // zero for any
	}

	// Cancel calls the waiting request off, which is then Refused. Without one
	// it does nothing.
	Cancel struct{ Session SessionID }

	// Recheck reads the queue of a name, in which an entry of ours may be missing.
	Recheck struct{ Name string }

	// End ends a session as its client wished; it gets no further action.
	End struct{ Session SessionID }
)

// Events of time and of the daemon.
type (
	// Tick only tells the time.
	Tick struct{}
	// Drain loses all sessions and gives all leases back.
	Drain struct{}
	// Regress says that etcd's revisions went back (P8).
	Regress struct{}
)

// Events that answer an action about a lease.
type (
	// LeaseGranted answers GrantLease. Exists means that an earlier try of the
	// same grant succeeded unseen, so that Sent and TTL are not known.
	LeaseGranted struct {
		Lease     int64
		TTL, Sent time.Duration
		Exists    bool
	}
	// GrantFailed answers GrantLease: nothing is known of the lease.
	GrantFailed struct{ Lease int64 }
	// LeaseRenewed answers RenewLease. Sent is the moment before the renewal was
	// sent. Late is set if RenewFailed was told of the attempt before.
	LeaseRenewed struct {
		Lease     int64
		TTL, Sent time.Duration
		Late      bool
	}
	// RenewFailed answers RenewLease: this attempt had no answer in its time.
	RenewFailed struct{ Lease int64 }
	// LeaseFenced answers FenceLease: its epoch key was written at this revision.
	LeaseFenced struct{ Lease, Epoch int64 }
	// FenceFailed answers FenceLease: the epoch key may or may not be written.
	FenceFailed struct{ Lease int64 }
	// LeaseAlive answers ProbeLease, also when the probe had no answer.
	LeaseAlive struct{ Lease int64 }
	// LeaseListed answers ListLease with the keys on the lease.
	LeaseListed struct {
		Lease int64
		Keys  []string
	}
	// LeaseEnded answers any action about a lease: etcd does not have it.
	LeaseEnded struct{ Lease int64 }
)

// Key is one live entry as etcd showed it.
type Key struct {
	Key      string
	Created  int64 // create revision
	Modified int64 // mod revision; differs from Created once overwritten
	Lease    int64 // zero if no lease will ever remove it, and in a look
}

// Events that answer Commit.
type (
	// BatchApplied says that all of a batch was done at Revision. Looks holds, for
	// each name enqueued in a queue that did not need to be empty, in order, the
	// entries in it at that revision.
	BatchApplied struct {
		Batch    uint64
		Revision int64
		Looks    [][]Key
	}
	// BatchRefused says that a guard did not hold, so nothing was done: the
	// mod revision of the epoch key, zero if it is absent or was no guard, and for
	// each put and then each drop what there was under its key, or in the whole
	// queue if that was to be empty, as of Revision.
	BatchRefused struct {
		Batch    uint64
		Revision int64
		Epoch    int64
		Found    [][]Key
	}
	// BatchFailed says that nothing was or will be done.
	BatchFailed struct {
		Batch uint64
		Cause Failure
		Err   error
	}
	// BatchUnknown says that the batch may be done, or may yet be.
	BatchUnknown struct{ Batch uint64 }
)

// Failure is why a batch was certainly not done.
type Failure uint8

// The failures of a batch.
const (
	NotSent   Failure = iota // it never left; try again soon
	NoLease                  // its lease is gone
	TooLarge                 // it has more operations than etcd takes
	Forbidden                // etcd refuses an operation in it: permission, space, size
)

// Queue is one name's queue as etcd showed it.
type Queue struct {
	Name string
	Keys []Key
}

// Events of reads and watches.
type (
	// QueuesRead answers ReadQueues with linearizable reads at Revision.
	QueuesRead struct {
		Read     uint64
		Revision int64
		Queues   []Queue
	}
	// ReadFailed answers ReadQueues: no answer.
	ReadFailed struct{ Read uint64 }
	// WatchReady says that a watch misses nothing from now on.
	WatchReady struct{ Watch uint64 }
	// WatchSaw carries what a watch saw, in order of revision.
	WatchSaw struct {
		Watch   uint64
		Changes []Change
	}
	// WatchGone says that a watch has ended and may have missed something.
	WatchGone struct{ Watch uint64 }
)

// Change is a put or a deletion of one key.
type Change struct {
	Key      string
	Deleted  bool
	Created  int64 // create revision of what was put
	Revision int64 // of the change
}
