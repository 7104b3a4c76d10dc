package etcd

import (
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// What can become of a request. Each error wraps its cause.
var (
	// ErrUnknownOutcome is returned for a Txn that may or may not have been
	// applied, or may yet be: a time-out, a broken connection, or any answer
	// that is not surely a refusal.
	ErrUnknownOutcome = errors.New("outcome unknown")

	// ErrNotSent is returned for a Txn that surely no server has taken up: it never
	// reached one, or one that is overloaded or cannot serve it turned it away. It
	// may be sent again.
	ErrNotSent = errors.New("not sent")

	// ErrUnavailable is returned when no endpoint answered in time.
	ErrUnavailable = errors.New("etcd is unavailable")

	// ErrLeaseNotFound is returned when a lease does not exist (any more).
	// A Txn that names such a lease is refused as a whole.
	ErrLeaseNotFound = errors.New("lease not found")

	// ErrLeaseExists is returned by Grant when the id is taken, which after an
	// unanswered Grant of the same id means that it took effect.
	ErrLeaseExists = errors.New("lease exists")

	// ErrNoSpace is returned when the database is over its quota. etcd gives this
	// answer to a write refused because of the alarm as well as to the write that
	// raises it, which *was* applied, so it comes with ErrUnknownOutcome.
	ErrNoSpace = errors.New("etcd is out of space: compact, defragment and disarm the alarm")

	// ErrDenied is returned when user, password, token or permission is refused.
	ErrDenied = errors.New("etcd denied access")

	// ErrTooLarge is returned for a request of too many operations or bytes.
	ErrTooLarge = errors.New("request too large")

	// ErrRefused is returned when the server refused a request for another reason
	// before it had any effect.
	ErrRefused = errors.New("request refused")

	// ErrRegressed is returned once the cluster's revision has gone back or its
	// id has changed, and from then on by every call but Revoke.
	ErrRegressed = errors.New("etcd has gone back")

	// ErrServerTooOld is returned when every endpoint left is refused because of
	// its version.
	ErrServerTooOld = errors.New("etcd server too old")

	// ErrClosed is returned after Close.
	ErrClosed = errors.New("etcd client closed")
)

// errOverloaded and errMember mark refusals by one member that another, or the
// same one a little later, may answer: harmless to repeat, never applied.
var (
	errOverloaded = fmt.Errorf("%w: overloaded: %w", ErrRefused, ErrNotSent)
	errMember     = fmt.Errorf("%w: by this member: %w", ErrRefused, ErrNotSent)
)

// errLearner is returned for an endpoint that serves neither leases nor reads.
var errLearner = errors.New("member is a learner")

// refusal gives the sentinel of an answer that surely had no effect, and nil for
// everything else. When in doubt it is nil: unknown is always a safe verdict.
//
// etcd checks tokens, permissions, sizes, operations and leases before it
// applies anything (v3rpc/key.go, apply/auth.go and checkTxn in txn.go of the
// server). ErrNoSpace is the exception, and is no refusal: see there.
func refusal(err error) error {
	switch answer(err) {
	case rpctypes.ErrLeaseNotFound:
		return ErrLeaseNotFound
	case rpctypes.ErrLeaseExist:
		return ErrLeaseExists
	case rpctypes.ErrTooManyOps, rpctypes.ErrRequestTooLarge:
		return ErrTooLarge
	case rpctypes.ErrTooManyRequests:
		return errOverloaded
	case rpctypes.ErrNotCapable, rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner):
		return errMember
	case rpctypes.ErrPermissionDenied, rpctypes.ErrAuthFailed, rpctypes.ErrUserEmpty,
		rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision:
		return ErrDenied
	case rpctypes.ErrEmptyKey, rpctypes.ErrKeyNotFound, rpctypes.ErrValueProvided,
		rpctypes.ErrLeaseProvided, rpctypes.ErrDuplicateKey, rpctypes.ErrInvalidSortOption,
		rpctypes.ErrCompacted, rpctypes.ErrFutureRev, rpctypes.ErrLeaseTTLTooLarge,
		rpctypes.ErrCorrupt:
		return ErrRefused
	}
	return statusRefusal(err)
}

// statusRefusal does the same for answers of gRPC itself. A message over the
// size limit can only be the request: replies have no limit on our side.
func statusRefusal(err error) error {
	s, ok := status.FromError(err)
	if !ok {
		return nil
	}
	switch s.Code() {
	case codes.Unauthenticated, codes.PermissionDenied:
		return ErrDenied
	case codes.Unimplemented:
		return ErrRefused
	case codes.ResourceExhausted:
		if strings.Contains(s.Message(), "message larger than max") {
			return ErrTooLarge
		}
	}
	return nil
}

// repeatable reports whether a call without side effects is worth another try.
func repeatable(err error) bool {
	if errors.Is(err, ErrRegressed) {
		return false
	}
	switch refusal(err) {
	case nil, errOverloaded, errMember:
		return !isNoSpace(err)
	}
	return false
}

// Objection is what the server has against a request, in its own words, if that lets
// nobody in or has no space: neither passes by itself. It is empty for other errors.
func Objection(err error) string {
	if !errors.Is(err, ErrDenied) && !errors.Is(err, ErrNoSpace) {
		return ""
	}
	if said, ok := answer(err).(rpctypes.EtcdError); ok {
		return strings.TrimPrefix(said.Error(), "etcdserver: ")
	}
	if errors.Is(err, ErrNoSpace) {
		return ErrNoSpace.Error()
	}
	return ErrDenied.Error()
}

func isNoSpace(err error) bool { return answer(err) == rpctypes.ErrNoSpace }

// answer finds what the server said inside a wrapped error.
func answer(err error) error {
	type statusError interface {
		error
		GRPCStatus() *status.Status
	}
	if s, ok := errors.AsType[statusError](err); ok {
		return rpctypes.Error(s)
	}
	return err
}

// staleToken reports whether a request was refused because of its token alone, so
// that it may be sent again after logging in.
func staleToken(err error) bool {
	switch answer(err) {
	case rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision, rpctypes.ErrUserEmpty:
		return true
	}
	return false
}

// callError gives the error of a call that could be repeated and was not answered.
func callError(err error) error {
	switch {
	case err == nil, isOurs(err):
		return err
	case isNoSpace(err):
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	case refusal(err) != nil:
		return fmt.Errorf("%w: %w", refusal(err), err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// isOurs reports whether an error has its sentinel already.
func isOurs(err error) bool {
	for _, sentinel := range []error{ErrUnavailable, ErrLeaseNotFound, ErrRegressed, ErrServerTooOld, ErrClosed} {
		if errors.Is(err, sentinel) {
			return true
		}
	}
	return false
}

// writeError gives the error of a Txn that was sent once.
func writeError(err error) error {
	if errors.Is(err, ErrRegressed) {
		return err
	}
	if isNoSpace(err) {
		return fmt.Errorf("%w: %w: %w", ErrUnknownOutcome, ErrNoSpace, err)
	}
	if sentinel := refusal(err); sentinel != nil {
		return fmt.Errorf("%w: %w", sentinel, err)
	}
	return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
}
