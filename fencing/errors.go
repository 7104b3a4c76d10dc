package fencing

import (
	"errors"
	"fmt"
)

var (
	// ErrStale is a guard's refusal: the resource has seen a greater token, so the
	// lock has gone to somebody else. The worker must stop. The error itself is a
	// [*StaleError].
	ErrStale = errors.New("the fencing token is stale")

	// ErrSpent is the refusal of a second write by a token that is for one. It has
	// been done. The error itself is a [*SpentError].
	ErrSpent = errors.New("the fencing token has been used")

	// ErrCluster is the refusal of a token of another etcd cluster than that whose
	// tokens the resource has seen. Somebody has to say which one is right, by
	// setting the watermark. The error itself is a [*ClusterError].
	ErrCluster = errors.New("the fencing token is of another etcd cluster")

	// ErrToken is for what is no fencing token at all.
	ErrToken = errors.New("not a fencing token")

	// ErrShared is for the id of a shared lock, or of a slot, used as a token.
	ErrShared = fmt.Errorf("%w: several may hold beside one another", ErrToken)

	// ErrUnknown is for a resource that is not there. It is not ErrStale: it says
	// nothing about who holds the lock.
	ErrUnknown = errors.New("no such resource")
)

// A StaleError is an [ErrStale] with what the resource has seen.
type StaleError struct {
	Token   Token
	Highest Token // zero where the resource only knows that the lock is over
}

func (e *StaleError) Error() string {
	if e.Highest.IsZero() {
		return fmt.Sprintf("the fencing token %d is stale: its lock is over", e.Token.Fence)
	}
	return fmt.Sprintf("the fencing token %d is stale: %d has been seen", e.Token.Fence, e.Highest.Fence)
}

// Is makes errors.Is find ErrStale.
func (e *StaleError) Is(target error) bool { return target == ErrStale }

// A SpentError is an [ErrSpent] with the token.
type SpentError struct{ Token Token }

func (e *SpentError) Error() string {
	return fmt.Sprintf("the fencing token %d has been used for its one write", e.Token.Fence)
}

// Is makes errors.Is find ErrSpent.
func (e *SpentError) Is(target error) bool { return target == ErrSpent }

// A ClusterError is an [ErrCluster] with both tokens.
type ClusterError struct {
	Token   Token
	Highest Token
}

func (e *ClusterError) Error() string {
	return fmt.Sprintf("the fencing token %d is of %s: the resource has seen %d of %s",
		e.Token.Fence, e.Token.Cluster.words(), e.Highest.Fence, e.Highest.Cluster.words())
}

// words is the cluster in a sentence.
func (c Cluster) words() string {
	if c == 0 {
		return "an etcd cluster that was not told"
	}
	return "etcd cluster " + c.String()
}

// Is makes errors.Is find ErrCluster.
func (e *ClusterError) Is(target error) bool { return target == ErrCluster }
