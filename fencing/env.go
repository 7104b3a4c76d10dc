package fencing

import (
	"fmt"
	"os"
)

// FromEnv is the token of the lock under which lockside run runs this process:
// LOCKSIDE_FENCE, and LOCKSIDE_CLUSTER where it is set. Its error is [ErrToken]
// when there is none, and [ErrShared] when the lock is one that several may hold.
func FromEnv() (Token, error) {
	text, found := os.LookupEnv("LOCKSIDE_FENCE")
	if !found {
		return Token{}, fmt.Errorf("%w: LOCKSIDE_FENCE is not set; use lockside run", ErrToken)
	}
	t, err := Parse(text)
	if err != nil {
		return Token{}, fmt.Errorf("read LOCKSIDE_FENCE: %w", err)
	}
	if t.Cluster, err = ParseCluster(os.Getenv("LOCKSIDE_CLUSTER")); err != nil {
		return Token{}, fmt.Errorf("read LOCKSIDE_CLUSTER: %w", err)
	}
	return t, nil
}
