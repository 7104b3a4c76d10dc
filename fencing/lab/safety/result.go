package safety

import (
	"time"

	"lockside/fencing/lab/timeline"
)

// A Result is one story: one system, struck by one scenario, with a resource that
// checks fences or does not.
type Result struct {
	System   string `json:"system"`
	Scenario string `json:"scenario"`
	Checked  bool   `json:"checked"`

	// Reason says, in a sentence, why there is no such story. All else is zero
	// then.
	Reason string `json:"reason,omitempty"`

	// Setting is what the reader has to know of how this system was struck.
	Setting string `json:"setting,omitempty"`

	Outcome
	Events []timeline.Event `json:"events,omitempty"`
}

// An Outcome is what was seen of a story.
type Outcome struct {
	FenceA int64 `json:"fence_a,omitempty"` // 0 where there is none
	FenceB int64 `json:"fence_b,omitempty"`

	// Granted is that B had the lock; if not, Answer is what it was told in place
	// of a grant. Early is that it had it although A had not released it, was not
	// told that it is lost, and had not written for the last time; Overlap is for
	// how long.
	Granted bool          `json:"granted"`
	Answer  string        `json:"answer,omitempty"`
	Early   bool          `json:"two_holders"`
	Overlap time.Duration `json:"overlap_ns,omitempty"`

	// TakeOver is the time from the strike to B's grant, where A did not release.
	TakeOver time.Duration `json:"take_over_ns,omitempty"`

	// Told is what let A know, "" if nothing did; ToldAfter is how long after the
	// strike. InTime is that A could still heed it before its last write, which it
	// sent all the same. Who is paused looked before, and has only the write to do.
	Told      string        `json:"told,omitempty"`
	ToldAfter time.Duration `json:"told_after_ns,omitempty"`
	InTime    bool          `json:"told_in_time"`

	// WroteA and WroteB are that the resource took the write. StaleA and StaleB
	// are that it refused a claim or a write for its fence.
	WroteA bool `json:"wrote_a"`
	WroteB bool `json:"wrote_b"`
	StaleA bool `json:"stale_a"`
	StaleB bool `json:"stale_b"`

	// Value is what the resource has in the end: the names of those whose writes
	// are in it. Lost is that a write it took is not among them.
	Value string `json:"value"`
	Lost  bool   `json:"lost_update"`
}

// Rising reports whether B's fence was the greater one. It is false where one of
// them had no fence.
func (o Outcome) Rising() bool { return o.FenceA != 0 && o.FenceB > o.FenceA }

// A System is a way to lock that was put to the test.
type System struct {
	Name      string `json:"name"`
	About     string `json:"about"` // how it is used here
	Version   string `json:"version"`
	Fence     string `json:"fence"`     // what its fence is, or why there is none
	Tolerates string `json:"tolerates"` // what it is documented to survive
	Clocks    string `json:"clocks"`    // which ones it is documented to depend on
	Calm      Calm   `json:"calm"`
}

// Calm is what was measured of a system that nothing strikes.
type Calm struct {
	Acquire time.Duration `json:"acquire_ns"` // median, when nobody else has the name
	Grants  int           `json:"grants"`     // of one name, to several who wanted it at once

	// NotRising of them had a fence that was no greater than every one before.
	NotRising int `json:"fences_not_rising"`
}

// A Report is all that a run has to tell.
type Report struct {
	Day       string        `json:"day"`
	Took      time.Duration `json:"took_ns"`
	TTL       time.Duration `json:"ttl_ns"`
	Systems   []System      `json:"systems"`   // in the order of the table
	Scenarios []Scenario    `json:"scenarios"` // likewise
	Results   []Result      `json:"results"`
	Missing   []string      `json:"missing,omitempty"` // what is left out, and why
	Broken    []string      `json:"broken,omitempty"`  // promises of lockside that were not kept
}

// A Scenario is one way to strike.
type Scenario struct {
	Name  string `json:"name"`  // a word or two with dashes, as on the command line
	Title string `json:"title"` // a few words
	About string `json:"about"` // what is done, in a sentence or two
}
