package httpguard

import (
	"errors"
	"fmt"
)

var (
	// ErrMissing is for a write without a token, answered 428.
	ErrMissing = errors.New("a write needs the header " + FenceHeader)

	// ErrUnfinished is for a write once that is repeated after it began and did
	// not end well, or the server's process ended before it did: it may have been
	// done or not. The next holder's is done again.
	ErrUnfinished = errors.New("the token's one write began and may have been done or not")

	// ErrUnguarded is a client's error for a server that did what it was asked
	// for, and gave no sign that it looked at the fence.
	ErrUnguarded = errors.New("the server does not look at fences: its answer has no " + FenceHeader)

	// ErrRedirected is a client's error for a write that another origin is to have.
	ErrRedirected = errors.New("a fenced write is not sent on to another origin")
)

// An AnswerError is an answer that is neither success nor a refusal.
type AnswerError struct {
	Status int
	Body   string // its first 1,024 bytes
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the server answers %d: %.200q", e.Status, e.Body)
}
