package history

import (
	"fmt"
	"strings"
)

// A Rule is what was broken.
type Rule string

// The rules; the package's comment says what each means.
const (
	Overlap   Rule = "overlap"    // two hold one name
	NotRising Rule = "not-rising" // a fence is not greater than the one before
	Twice     Rule = "twice"      // one fence is granted twice
	LateWrite Rule = "late-write" // a write is accepted after one with a greater fence
	Register  Rule = "register"   // reads and writes are not linearizable
	Unserved  Rule = "unserved"   // a waiter waits at the end
	Senseless Rule = "senseless"  // the record contradicts itself
)

// A Violation is one break of a rule.
type Violation struct {
	Rule   Rule    `json:"rule"`
	Name   string  `json:"name"`
	Text   string  `json:"text"`
	Before []Event `json:"before"` // the last events of the name, with the one that showed it
	After  []Event `json:"after"`  // and the next
}

// around is how many events of a name are shown before a violation, and after.
const (
	eventsBefore = 12
	eventsAfter  = 4
)

// String tells the violation and shows the events around it.
func (v Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %q: %s", v.Rule, v.Name, v.Text)
	for i, e := range v.Before {
		mark := " "
		if i == len(v.Before)-1 {
			mark = ">"
		}
		fmt.Fprintf(&b, "\n %s %s", mark, e)
	}
	for _, e := range v.After {
		fmt.Fprintf(&b, "\n   %s", e)
	}
	return b.String()
}
