package ipc

import "errors"

// How a Lock's context ends; see [context.Cause].
var (
	// ErrLost is what every [*LostError] is.
	ErrLost = errors.New("session lost")

	// ErrReleased is the cause after [Lock.Unlock].
	ErrReleased = errors.New("lock released")

	// ErrClosed is the cause after [Client.Close], which gives up every lock,
	// and the error of whatever is asked of a closed client.
	ErrClosed = errors.New("client closed")
)

// A LostError says that a session ended although the client did not ask for
// it, and every lock on it is gone.
type LostError struct {
	Reason Reason
}

// Error names the reason.
func (e *LostError) Error() string { return "session lost: " + string(e.Reason) }

// Is reports whether the target is [ErrLost], whatever the reason.
func (e *LostError) Is(target error) bool { return target == ErrLost }
