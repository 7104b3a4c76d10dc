// Package timeline is what happened in a run, moment by moment.
package timeline

import "time"

// An Event is one thing that happened.
type Event struct {
	At   time.Duration `json:"at_ns"` // since the story began
	Lane Lane          `json:"lane"`
	Kind Kind          `json:"kind"`
	Text string        `json:"text,omitempty"` // in a few words, for people
}

// A Lane is where something happened.
type Lane string

// The lanes, from top to bottom.
const (
	ClientA  Lane = "client A"
	ClientB  Lane = "client B"
	Service  Lane = "lock service"
	Resource Lane = "resource"
)

// Lanes are all of them, in the order in which they are shown.
func Lanes() []Lane { return []Lane{ClientA, ClientB, Service, Resource} }

// A Kind is what happened.
type Kind string

// The kinds. A client begins to ask with Acquire, and has the lock from Grant to
// Release or Told, if it goes by what it knows.
const (
	Acquire Kind = "acquire"
	Grant   Kind = "grant"
	Failed  Kind = "failed"  // the wait for a grant ended without one
	Told    Kind = "told"    // the client knows that it has lost the lock
	Release Kind = "release" // asked for by the client
	Claim   Kind = "claim"   // the resource's watermark was raised
	Read    Kind = "read"
	Write   Kind = "write"   // and the resource took it
	Refused Kind = "refused" // a claim or a write, since its fence is stale
	Strike  Kind = "strike"  // the fault begins
	Heal    Kind = "heal"    // the fault ends
	Note    Kind = "note"    // anything else that explains what is seen
)
