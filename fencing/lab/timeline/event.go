// Package timeline is what happened in a run, moment by moment, and draws it.
package timeline

import "time"

// An Event is one thing that happened.
type Event struct {
	At   time.Duration `json:"at_ns"` // since the story began
	Lane Lane          `json:"lane"`
	Kind Kind          `json:"kind"`
	Text string        `json:"text,omitempty"` // a few words that go on from the kind's own, as "fence 17" of a grant
}

// A Lane is where something happened.
type Lane string

// The lanes, from top to bottom. Both clients are beside the resource, so that
// what one does to it does not cross the other.
const (
	Service  Lane = "lock service"
	ClientA  Lane = "client A"
	Resource Lane = "resource"
	ClientB  Lane = "client B"
)

// Lanes are all of them, in the order in which they are shown.
func Lanes() []Lane { return []Lane{Service, ClientA, Resource, ClientB} }

// A Kind is what happened.
type Kind string

// The kinds. A client begins to ask with Acquire, and has the lock from Grant to
// Release, Told or Refused, if it goes by what it knows. What it does to the
// resource is in its own lane. A strike lasts until a Heal in the same lane. Without
// one, it lasts to the end for a client, and was over in a moment elsewhere.
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
