package soak

import (
	"fmt"
	"sync"
	"time"
)

// What a daemon may take more at the end than when it was warm. The Go runtime
// gives memory back late, and a daemon keeps a few connections to etcd.
const (
	growthFactor = 1.25
	growthBytes  = 16 << 20
	growthFiles  = 16
)

// A Size is what a daemon takes at a moment, or the most within a time.
type Size struct {
	Resident int64 `json:"resident_bytes"`
	Files    int   `json:"files"` // that it has open
}

// DaemonUse is what a daemon took. Of one that was killed, Warm and Late are
// looked at only when it was not after the first quarter, and are zero otherwise.
type DaemonUse struct {
	Host   string `json:"host"`
	Killed int    `json:"killed"`
	Before Size   `json:"before"` // before the first client
	Warm   Size   `json:"warm"`   // the most in the second quarter
	Late   Size   `json:"late"`   // the most in the last quarter
	After  Size   `json:"after"`  // after the last client
}

// flat says how the daemon has grown, or nothing.
func (u DaemonUse) flat() []string {
	var all []string
	if u.After.Files > u.Before.Files+growthFiles {
		all = append(all, fmt.Sprintf("%s has %d files open without clients, and had %d before them", u.Host, u.After.Files, u.Before.Files))
	}
	if u.Warm.Resident == 0 || u.Late.Resident == 0 {
		return all
	}
	if bound := int64(growthFactor*float64(u.Warm.Resident)) + growthBytes; u.Late.Resident > bound {
		all = append(all, fmt.Sprintf("%s has grown to %s MiB from %s; the bound is %s",
			u.Host, mebibytes(u.Late.Resident), mebibytes(u.Warm.Resident), mebibytes(bound)))
	}
	return all
}

// usage follows what a daemon takes.
type usage struct {
	mu     sync.Mutex // guards what follows
	use    DaemonUse
	broken bool // it was killed since the second quarter began
}

// restart notes that the daemon is about to be killed.
func (u *usage) restart() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.use.Killed++
	if u.use.Warm.Resident > 0 {
		u.broken = true
	}
}

// add takes what the daemon takes when a part of the soak is over, from 0 to 1.
func (u *usage) add(s Size, part float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case part >= 0.25 && part < 0.5:
		u.use.Warm.raise(s)
	case part >= 0.75:
		u.use.Late.raise(s)
	}
}

func (s *Size) raise(other Size) {
	s.Resident = max(s.Resident, other.Resident)
	s.Files = max(s.Files, other.Files)
}

// total is what is known in the end.
func (u *usage) total() DaemonUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.broken {
		u.use.Warm, u.use.Late = Size{}, Size{}
	}
	return u.use
}

// size asks the kernel.
func (d *daemon) size() (Size, error) {
	taken, err := d.Usage()
	if err != nil {
		return Size{}, err
	}
	files, err := d.Descriptors()
	return Size{Resident: taken.Resident, Files: files}, err
}

// sample looks at all daemons. One that is being killed has nothing to show.
func (d *daemons) sample(part float64) {
	for _, one := range d.all {
		if size, err := one.size(); err == nil && size.Resident > 0 {
			one.use.add(size, part)
		}
	}
}

// sampleEvery is the time between two looks: short enough for a short soak.
func sampleEvery(whole time.Duration) time.Duration {
	return min(max(whole/100, 100*time.Millisecond), 5*time.Second)
}
