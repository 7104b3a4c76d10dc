package cli

import (
	"fmt"
	"strings"
	"time"

	"lockside/ipc"
)

// describe tells of a holder what is known: of an entry that another program
// made, perhaps nothing.
func describe(e ipc.Entry, now time.Time) string {
	who, owner := e.Comm, e.Owner
	if who == "lockside" && owner != "" { // It holds the lock for another.
		who, owner = owner, ""
	}
	if who == "" {
		who = "another program"
	}
	if known := details(e, owner); known != "" {
		who += " (" + known + ")"
	}
	if e.Host != "" {
		who += " on " + e.Host
	}
	if !e.Since.IsZero() {
		who += " for " + age(e.Since, now)
	}
	return who
}

func details(e ipc.Entry, owner string) string {
	var known []string
	if e.PID > 0 {
		known = append(known, fmt.Sprintf("pid %d", e.PID))
	}
	if e.User != "" {
		known = append(known, "user "+e.User)
	}
	if owner != "" {
		known = append(known, owner)
	}
	return strings.Join(known, ", ")
}

// age is how long ago a moment was by the wall clocks of two hosts, which may
// differ: it is never negative.
func age(since, now time.Time) string {
	return max(now.Sub(since), 0).Truncate(time.Second).String()
}
