package actor

import (
	"time"

	"golang.org/x/sys/unix"

	"lockside/fencing/lab/holders"
	"lockside/fencing/lab/timeline"
)

// Variable holds the configuration of an actor in the environment of its process.
const Variable = "LOCKSIDE_LAB_ACTOR"

// Config says who the actor is.
type Config struct {
	Name     string         `json:"name"`   // that it writes into the resource
	Holder   holders.Config `json:"holder"` // its side of the lock service
	Lock     string         `json:"lock"`   // name of the lock
	Row      string         `json:"row"`    // of the resource that it guards
	Resource string         `json:"resource"`
	Checked  bool           `json:"checked"` // it claims and writes with its fence
}

// A Step is what an actor is told to do.
type Step struct {
	Do   Do            `json:"do"`
	Wait time.Duration `json:"wait_ns,omitempty"` // the longest
}

// A Do is one of the things that actors can.
type Do string

// What an actor can. It answers Acquire with Grant or Failed, Read with Read or
// Refused, Write with Write or Refused, and Release with Release; or any with
// Failed.
const (
	Acquire Do = "acquire"
	Read    Do = "read"  // after a claim where fences are checked
	Write   Do = "write" // what was read, and its own name behind it
	Release Do = "release"
)

// A Message is what an actor tells: the answer to a step; or, without being
// asked, Told when it learns that its lock may be lost, and Note when it learns
// that it is not.
type Message struct {
	At    time.Duration `json:"at_ns"` // see Now
	Kind  timeline.Kind `json:"kind"`
	Fence int64         `json:"fence,omitempty"`
	Value string        `json:"value,omitempty"` // of the resource
	Text  string        `json:"text,omitempty"`  // an error, or why the lock may be lost
	Told  string        `json:"told,omitempty"`  // what it knew of a loss as it began to write
}

// answers reports whether a message is the answer to a step.
func (m Message) answers() bool { return m.Kind != timeline.Told && m.Kind != timeline.Note }

// Now is a moment that compares to those of all processes of this host.
func Now() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // cannot fail: Linux has had it since 2.6.39
	return time.Duration(t.Nano())
}
