package core

import "errors"

// The reasons for which a request is refused. A refused request changes
// nothing: its session keeps what it holds.
var (
	// ErrBusy is returned when a request that does not wait finds the name held.
	ErrBusy = errors.New("the name is held")
	// ErrTimeout is returned when the wait asked for is over before the turn came.
	ErrTimeout = errors.New("the wait is over before its turn came")
	// ErrCancelled is returned to a request that its own session called off.
	ErrCancelled = errors.New("the wait was called off")
	// ErrHeld is returned when the session holds the name already, or waits for it.
	ErrHeld = errors.New("this session has the name already")
	// ErrNotHeld is returned when the session does not hold the name, or not with that fence.
	ErrNotHeld = errors.New("this session does not hold the name")
	// ErrOrder is returned when a session that holds names would wait for one
	// that does not sort after all of them (I8).
	ErrOrder = errors.New("a session that holds names may wait only for later ones")
	// ErrLimit is returned when a session has too many locks, or a name too many waiters.
	ErrLimit = errors.New("a limit is reached")
	// ErrUnavailable is returned when etcd did not answer in the time that the request had.
	ErrUnavailable = errors.New("etcd did not answer in time")
	// ErrRegressed is returned while etcd's revisions are known to have gone back.
	ErrRegressed = errors.New("etcd's revisions went back")
	// ErrDraining is returned once the daemon is stopping.
	ErrDraining = errors.New("the daemon is stopping")
)

// Reason says why a session was ended although its client did not ask for it.
type Reason string

// The reasons for a loss, as the protocol writes them.
const (
	LeaseRevoked Reason = "lease-revoked" // the lease went before its deadline
	LeaseExpired Reason = "lease-expired" // etcd ended the lease after its deadline
	EntryDeleted Reason = "entry-deleted" // somebody deleted or overwrote the entry
	DeadlineOver Reason = "deadline"      // no renewal was answered in time
	Shutdown     Reason = "shutdown"      // the daemon is stopping
	Regression   Reason = "regressed"     // etcd's revisions went back
)
