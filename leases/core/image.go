package core

import (
	"slices"
	"time"
)

// An Image is a machine as one program hands it to the next. Entries, requests and
// releases are told by their index. Moments are of CLOCK_BOOTTIME, which is the
// same for both. Whoever hands it over tells the version of its form too.
type Image struct {
	Now                  time.Duration
	Revision             int64
	LastBatch, LastWatch uint64
	BatchOps, Wary       int
	Counts               Counts
	Leases               []LeaseImage
	Queues               []QueueImage
	Entries              []EntryImage
	Requests             []RequestImage
	Releases             []ReleaseImage
	Sessions             []SessionImage
	Waiting              map[time.Duration][]int // requests that wait for a lease, by TTL
}

// Has reports whether a lease is in the image.
func (img *Image) Has(lease int64) bool {
	return slices.ContainsFunc(img.Leases, func(l LeaseImage) bool { return l.ID == lease })
}

// LeaseImage is a lease. An answer that was under way is not waited for.
type LeaseImage struct {
	ID         int64
	Class, TTL time.Duration
	State      uint8
	Deadline   time.Duration
	Epoch      int64
	Stale      bool
	Failures   int
	Entries    []int
	Outbox     []OpImage
	GrantAt    time.Duration
	FenceAt    time.Duration
	ResumeAt   time.Duration
	JudgeAt    time.Duration
	ListAt     time.Duration
	IdleAt     time.Duration
	YieldAt    time.Duration
	Probing    bool
}

// OpImage is what lies in an outbox: the enqueue of a request, or the deletion of
// an entry. The other one is -1.
type OpImage struct {
	Request, Entry int
	Alone          bool
}

// QueueImage is a queue. What its watch saw since is not known, so whoever waits
// for others watches and reads it anew.
type QueueImage struct {
	Name    string
	Foreign map[string]int64
	Entries []int
	Line    []int
	Read    bool // is to be read
}

// EntryImage is an entry.
type EntryImage struct {
	Slot    int
	Key     string
	State   uint8
	Rev     int64
	Value   []byte
	Granted time.Duration
	Alive   time.Duration
	Lingers time.Duration
	Given   bool
	Doubt   bool
	Guard   int64
	Floor   int64
	Missing bool
	Erased  int64
	Release int // -1 for none
}

// RequestImage is a request that waits.
type RequestImage struct {
	Names   []string
	TTL     time.Duration
	Value   []byte
	Try     bool
	At      int // of its names, in whose line it stands
	Entries []int
	Empty   bool // as in its op
	Alone   bool
	Sent    time.Duration
	Ends    time.Duration // when it is refused; zero for never
}

// ReleaseImage is an Unlock that waits.
type ReleaseImage struct {
	Session SessionID
	Left    int
	Held    time.Duration
}

// SessionImage is a session.
type SessionImage struct {
	ID      SessionID
	Held    []int
	Request int // -1 for none
}
