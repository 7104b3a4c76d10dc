package fencingtest

import (
	"sync/atomic"

	"lockside/fencing"
)

// cluster is whose tokens the suite uses.
const cluster fencing.Cluster = 0xcdf818194e3a8c32

// Tokens gives tokens that rise, as grants of a lock do. The numbers are those
// that are compared wrongly as text (9 and 10), or as floating point (beyond 2⁵³).
// The zero Tokens begins.
type Tokens struct{ given atomic.Int64 }

// Next is the next token.
func (s *Tokens) Next() fencing.Token {
	fence := s.given.Add(1)
	switch {
	case fence <= 2:
		fence += 8
	default:
		fence += 1<<53 - 3
	}
	return fencing.Token{Cluster: cluster, Fence: fence}
}
