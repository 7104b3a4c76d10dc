package etcd

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestWhatAnswersMean(t *testing.T) {
	for _, test := range []struct {
		answer     error
		txn        error // the sentinel that Txn gives
		repeatable bool  // whether calls without side effects go on
	}{
		{rpctypes.ErrGRPCLeaseNotFound, ErrLeaseNotFound, false},
		{rpctypes.ErrGRPCLeaseExist, ErrLeaseExists, false},
		{rpctypes.ErrGRPCTooManyOps, ErrTooLarge, false},
		{rpctypes.ErrGRPCRequestTooLarge, ErrTooLarge, false},
		{status.Error(codes.ResourceExhausted, "grpc: received message larger than max (9 vs. 8)"), ErrTooLarge, false},
		{rpctypes.ErrGRPCDuplicateKey, ErrRefused, false},
		{rpctypes.ErrGRPCEmptyKey, ErrRefused, false},
		{rpctypes.ErrGRPCCompacted, ErrRefused, false},
		{rpctypes.ErrGRPCCorrupt, ErrRefused, false},
		{status.Error(codes.Unimplemented, "unknown service etcdserverpb.KV"), ErrRefused, false},
		{rpctypes.ErrGRPCPermissionDenied, ErrDenied, false},
		{rpctypes.ErrGRPCAuthFailed, ErrDenied, false},
		{rpctypes.ErrGRPCUserEmpty, ErrDenied, false},
		{rpctypes.ErrGRPCInvalidAuthToken, ErrDenied, false},
		{rpctypes.ErrGRPCAuthOldRevision, ErrDenied, false},
		{rpctypes.ErrGRPCNoSpace, ErrUnknownOutcome, false},

		// One member's refusals, which another may not share. etcd sends
		// ErrTooManyRequests with the code Unknown.
		{rpctypes.ErrGRPCRequestTooManyRequests, ErrNotSent, true},
		{status.Error(codes.Unknown, "etcdserver: too many requests"), ErrNotSent, true},
		{rpctypes.ErrGRPCNotSupportedForLearner, ErrNotSent, true},
		{rpctypes.ErrGRPCNotCapable, ErrNotSent, true},

		{rpctypes.ErrGRPCTimeout, ErrUnknownOutcome, true},
		{rpctypes.ErrGRPCTimeoutDueToLeaderFail, ErrUnknownOutcome, true},
		{rpctypes.ErrGRPCTimeoutDueToConnectionLost, ErrUnknownOutcome, true},
		{rpctypes.ErrGRPCTimeoutWaitAppliedIndex, ErrUnknownOutcome, true},
		{rpctypes.ErrGRPCLeaderChanged, ErrUnknownOutcome, true},
		{rpctypes.ErrGRPCNoLeader, ErrUnknownOutcome, true},
		{rpctypes.ErrGRPCNotLeader, ErrUnknownOutcome, true},
		{rpctypes.ErrGRPCStopped, ErrUnknownOutcome, true},
		{rpctypes.ErrGRPCUnhealthy, ErrUnknownOutcome, true},
		{status.Error(codes.Unavailable, "error reading from server: EOF"), ErrUnknownOutcome, true},
		{status.Error(codes.Unavailable, "there is no connection available"), ErrUnknownOutcome, true},
		{status.Error(codes.Unknown, "raft proposal dropped"), ErrUnknownOutcome, true},
		{status.Error(codes.Internal, "stream terminated by RST_STREAM"), ErrUnknownOutcome, true},
		{status.Error(codes.ResourceExhausted, "too many streams"), ErrUnknownOutcome, true},
		{status.Error(codes.Canceled, "grpc: the client connection is closing"), ErrUnknownOutcome, true},
		{status.FromContextError(context.DeadlineExceeded).Err(), ErrUnknownOutcome, true},
		{context.DeadlineExceeded, ErrUnknownOutcome, true},
		{ErrRegressed, ErrRegressed, false},
	} {
		// The verdict must not depend on how often the answer has been wrapped.
		wrapped := fmt.Errorf("at unix:///x: %w", test.answer)
		if err := writeError(wrapped); !errors.Is(err, test.txn) || !errors.Is(err, test.answer) {
			t.Errorf("txn answered %q gives %q, want %q wrapping it", test.answer, err, test.txn)
		}
		if test.txn != ErrUnknownOutcome && errors.Is(writeError(wrapped), ErrUnknownOutcome) {
			t.Errorf("txn answered %q is of unknown outcome", test.answer)
		}
		if got := repeatable(wrapped); got != test.repeatable {
			t.Errorf("repeatable(%q) = %v", test.answer, got)
		}
	}
}

func TestNoSpaceIsNamedAndUnknown(t *testing.T) {
	err := writeError(rpctypes.ErrGRPCNoSpace)
	if !errors.Is(err, ErrNoSpace) || !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("no space gives %q", err)
	}
}
