package fencing

import "context"

// A Guard makes one resource refuse tokens lower than the greatest that it has
// seen. W is what a write is for that resource: a function of a transaction, a
// body, a command.
//
// Guards are for use by several goroutines and processes at once, and keep no
// state but in the resource. Their errors are [ErrStale], [ErrSpent],
// [ErrCluster], [ErrToken] and [ErrUnknown], which say that nothing was done; or
// the resource's own, after which it may have been done or not. When the context
// ends the latter is the case.
//
// To repeat a call is always safe for the resource's watermark. A repeated Write
// is a second write, which may come after one that the holder has sent since.
type Guard[W any] interface {
	// Claim raises the resource's watermark to the token. It is what a holder
	// does first, before it reads.
	Claim(ctx context.Context, t Token) error

	// Write does w if the token is no lower than the watermark, and raises the
	// watermark to it, in one atomic step.
	Write(ctx context.Context, t Token, w W) error

	// WriteOnce is Write for a token that is greater than the watermark, for at
	// most one write a grant. It is its own claim: a token that has claimed is
	// spent, and so is one that has written.
	WriteOnce(ctx context.Context, t Token, w W) error
}
