package core

import "time"

// An Action is what the caller has to do. Actions are done in order; those to
// sessions at once, before another event is handled.
type Action interface{ action() }

// Actions to sessions.
type (
	// Granted answers Lock: the session holds the names from now on.
	Granted struct {
		Session SessionID
		Fence   int64
		Lease   int64
		TTL     time.Duration
		Until   time.Duration // the moment at which the lease ends its sessions unless it is renewed
		Keys    []string      // one a name, in the order asked for
	}
	// Refused answers Lock or Unlock: nothing changed.
	Refused struct {
		Session SessionID
		Err     error
	}
	// Released answers Unlock: etcd has deleted the entries. Held is the
	// longest time that one of them was held.
	Released struct {
		Session SessionID
		Held    time.Duration
	}
	// Lost ends a session: it must be told and shut down before anything else.
	Lost struct {
		Session SessionID
		Reason  Reason
	}
)

// Actions on leases. Each is answered by one event.
type (
	// GrantLease grants a lease of this id.
	GrantLease struct {
		Lease int64
		TTL   time.Duration
	}
	// RenewLease tries once to renew; a greater attempt takes another endpoint.
	RenewLease struct {
		Lease   int64
		TTL     time.Duration
		Attempt int
	}
	// RevokeLease revokes until etcd says that the lease is gone.
	RevokeLease struct{ Lease int64 }
	// FenceLease writes the lease's epoch key anew.
	FenceLease struct{ Lease int64 }
	// ProbeLease asks whether the lease is there.
	ProbeLease struct{ Lease int64 }
	// ListLease asks for the keys on the lease.
	ListLease struct{ Lease int64 }
)

// Commit sends a batch as one Txn, at most once.
type Commit struct{ Batch *Batch }

// Batch is a group of operations on one lease that are done together or not
// at all: the drops first, so that no look shows what they delete, then each
// put with its look. Drops alone need no epoch (I6). It must not be changed.
type Batch struct {
	ID    uint64
	Lease int64
	Epoch int64 // the guard: mod revision of the lease's epoch key; zero without puts
	Puts  []Put
	Drops []Drop
	ops   []*op
}

// Put enqueues an entry: its key must be absent, and the queue is looked at in
// the same Txn. With Empty set the whole queue must be absent instead, which saves
// the look.
type Put struct {
	Queue, Key string
	Value      []byte
	Empty      bool
}

// Drop deletes the entry that has this key and create revision.
type Drop struct {
	Key     string
	Created int64
}

// Actions on queues.
type (
	// ReadQueues reads each queue, linearizable, at one revision.
	ReadQueues struct {
		Read  uint64
		Names []string
	}
	// OpenWatch watches a queue from now on.
	OpenWatch struct {
		Watch uint64
		Name  string
	}
	// CloseWatch ends a watch.
	CloseWatch struct{ Watch uint64 }
)

func (Granted) action()     {}
func (Refused) action()     {}
func (Released) action()    {}
func (Lost) action()        {}
func (GrantLease) action()  {}
func (RenewLease) action()  {}
func (RevokeLease) action() {}
func (FenceLease) action()  {}
func (ProbeLease) action()  {}
func (ListLease) action()   {}
func (Commit) action()      {}
func (ReadQueues) action()  {}
func (OpenWatch) action()   {}
func (CloseWatch) action()  {}
