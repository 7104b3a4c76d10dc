package history

import (
	"fmt"
	"strings"
	"time"
)

// A Kind is what happened.
type Kind string

// What a client tells of itself.
const (
	Asked     Kind = "asked"     // it is about to ask for Names; it has one request at a time
	Granted   Kind = "granted"   // it has read that it holds Names, by Fence and Lease
	Refused   Kind = "refused"   // it holds nothing of what it asked for and waits no more, for Reason
	Lost      Kind = "lost"      // it has read its session's end, for Reason, or decided on it
	Unlocking Kind = "unlocking" // it is about to write UNLOCK
	Unlocked  Kind = "unlocked"  // it has read that the release is committed
	Closing   Kind = "closing"   // it is about to close its connection
	Wrote     Kind = "wrote"     // Value to the resource of a name, with Fence, between Begin and At
	Read      Kind = "read"      // Value from it, likewise
)

// What others tell of a client, of a daemon and of etcd.
const (
	Stopped  Kind = "stopped"  // the client is about to be stopped (SIGSTOP)
	Cut      Kind = "cut"      // a stopped client's connection has been seen to be over
	Killed   Kind = "killed"   // the client is about to be killed
	Gone     Kind = "gone"     // the daemon of Host has ended, and been waited for
	Removing Kind = "removing" // the lease Lease, or the entry of Names with Fence, is about to be removed from etcd
)

// An Event is one thing that happened. Which fields it has depends on its kind.
type Event struct {
	At     time.Duration `json:"at_ns"`              // on CLOCK_BOOTTIME, set by the Recorder
	Begin  time.Duration `json:"begin_ns,omitempty"` // of a read or a write
	Kind   Kind          `json:"kind"`
	Client string        `json:"client,omitempty"`
	Host   string        `json:"host,omitempty"` // of the daemon that a client asks, or that is gone
	Names  []string      `json:"names,omitempty"`
	Fence  int64         `json:"fence,omitempty"`
	Lease  int64         `json:"lease,omitempty"`
	Reason string        `json:"reason,omitempty"`
	Value  int64         `json:"value,omitempty"`
	Denied bool          `json:"denied,omitempty"` // the resource refused it for its fence
}

// String is a line for people: the moment in seconds, who, and what.
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%.6f", e.At.Seconds())
	for _, part := range []string{e.Client, string(e.Kind), strings.Join(e.Names, " ")} {
		if part != "" {
			b.WriteString(" " + part)
		}
	}
	if e.Fence != 0 {
		fmt.Fprintf(&b, " fence=%d", e.Fence)
	}
	if e.Lease != 0 {
		fmt.Fprintf(&b, " lease=%x", e.Lease)
	}
	if e.Host != "" {
		b.WriteString(" host=" + e.Host)
	}
	if e.Reason != "" {
		b.WriteString(" reason=" + e.Reason)
	}
	if e.Kind == Wrote || e.Kind == Read {
		fmt.Fprintf(&b, " value=%d denied=%t since %.6f", e.Value, e.Denied, e.Begin.Seconds())
	}
	return b.String()
}
