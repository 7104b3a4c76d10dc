package objectguard

import (
	"context"
	"errors"
)

// A Store is a bucket, or whatever else replaces an object only if it is still the
// one that was read. Its errors are these two, or its own, after which a Put may
// have been done or not.
//
// A client that sends a request again by itself, when a reply is lost, may do so.
type Store interface {
	// Get returns an object and its ETag, both of one moment, and no earlier one
	// than that of the last Put that was answered. The error is [ErrAbsent] when
	// there is no such object.
	Get(ctx context.Context, key string) (object []byte, etag string, err error)

	// Put replaces an object if its ETag is the given one: If-Match. Without an
	// ETag it makes an object that is not there: If-None-Match: *. Condition and
	// change are one step. The error is [ErrChanged] when the condition does not
	// hold.
	Put(ctx context.Context, key string, object []byte, etag string) error
}

var (
	// ErrAbsent is of Get: there is no object of that key. It is 404 NoSuchKey.
	ErrAbsent = errors.New("no such object")

	// ErrChanged is of Put: the object is not the one that was read. It is 412
	// PreconditionFailed; 409 ConditionalRequestConflict; and, with an ETag, 404
	// NoSuchKey.
	ErrChanged = errors.New("the object is another one by now")
)
