package ipc

import "fmt"

// A Code is the word after ERR in a reply. A code is never given a new
// meaning; a client treats one that it does not know as internal.
type Code string

// The codes of version 1. Each has one sentinel of the same name.
const (
	CodeBusy        Code = "busy"
	CodeTimeout     Code = "timeout"
	CodeCancelled   Code = "cancelled"
	CodeHeld        Code = "held"
	CodeNotHeld     Code = "not-held"
	CodeOrder       Code = "order"
	CodeDenied      Code = "denied"
	CodeLimit       Code = "limit"
	CodeBadRequest  Code = "bad-request"
	CodeTooLong     Code = "too-long"
	CodeUnavailable Code = "unavailable"
	CodeRegressed   Code = "regressed"
	CodeDraining    Code = "draining"
	CodeInternal    Code = "internal"
)

// How a LOCK that may be repeated ends without the lock.
var (
	// ErrBusy is returned when wait=0 was asked for and somebody holds the name.
	ErrBusy = &Error{CodeBusy, "somebody holds the name"}

	// ErrTimeout is returned when the time of wait= has passed.
	ErrTimeout = &Error{CodeTimeout, "not granted in the time asked for"}

	// ErrCancelled is returned when CANCEL ended the wait.
	ErrCancelled = &Error{CodeCancelled, "the wait was cancelled"}
)

// What the session holds does not allow the request.
var (
	// ErrHeld is returned when this session holds the name already.
	ErrHeld = &Error{CodeHeld, "this session holds the name already"}

	// ErrNotHeld is returned when this session does not hold the name, or not
	// with the fence given.
	ErrNotHeld = &Error{CodeNotHeld, "this session does not hold the name"}

	// ErrOrder is returned when a session that holds names would wait for one
	// that does not sort after all of them: two such sessions could wait for
	// each other for ever.
	ErrOrder = &Error{CodeOrder, "the name sorts before one that is held: take names in order, or all in one LOCK"}
)

// The request cannot be granted, now or ever.
var (
	// ErrDenied is returned when the daemon's policy forbids the request to
	// this user.
	ErrDenied = &Error{CodeDenied, "not allowed for this user"}

	// ErrLimit is returned when a limit of the daemon is reached.
	ErrLimit = &Error{CodeLimit, "a limit of the daemon is reached"}

	// ErrBadRequest is returned when the line breaks a rule of the protocol.
	ErrBadRequest = &Error{CodeBadRequest, "not a request: HELP lists them"}

	// ErrTooLong is returned when a line exceeds MaxLine. It is the one error
	// that ends the session.
	ErrTooLong = &Error{CodeTooLong, fmt.Sprintf("a line has at most %d bytes", MaxLine)}
)

// The daemon cannot do what was asked.
var (
	// ErrUnavailable is returned when etcd did not answer in time.
	ErrUnavailable = &Error{CodeUnavailable, "etcd does not answer"}

	// ErrRegressed is returned when etcd's revisions have gone back, so that
	// fences would, until an operator accepts it.
	ErrRegressed = &Error{CodeRegressed, "etcd's revisions went back: nothing is granted until an operator runs lockside accept-restore"}

	// ErrDraining is returned when the daemon is stopping and grants nothing
	// more.
	ErrDraining = &Error{CodeDraining, "the daemon is stopping"}

	// ErrInternal is returned when the daemon met an error of its own; its log
	// has the cause.
	ErrInternal = &Error{CodeInternal, "an error of the daemon's own: see its log"}
)

// Errors lists the sentinels, one for each code.
func Errors() []*Error {
	return []*Error{
		ErrBusy, ErrTimeout, ErrCancelled,
		ErrHeld, ErrNotHeld, ErrOrder,
		ErrDenied, ErrLimit, ErrBadRequest, ErrTooLong,
		ErrUnavailable, ErrRegressed, ErrDraining, ErrInternal,
	}
}

// An Error is an ERR reply: a code for programs and a text for people. Both
// are seen by any client, so neither may hold a cause that only the log may.
type Error struct {
	Code Code
	Text string
}

// Error is the code and the text, as the reply shows them.
func (e *Error) Error() string {
	if e.Text == "" {
		return string(e.Code)
	}
	return string(e.Code) + ": " + e.Text
}

// Is reports whether the target has the same code, so that errors.Is finds the
// sentinel whatever the text says.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// WithText is the error with another text, formatted as fmt.Sprintf does.
func (e *Error) WithText(format string, args ...any) *Error {
	return &Error{Code: e.Code, Text: fmt.Sprintf(format, args...)}
}
