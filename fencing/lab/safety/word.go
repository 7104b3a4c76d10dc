package safety

import (
	"fmt"
	"slices"
)

// none stands where there is nothing to tell, with a note that says why.
const none = "–"

// The words for what became of a story.
const (
	lostUpdate   = "lost update"
	lostThough   = "lost update, though told"
	refused      = "refused"
	newRefused   = "new holder refused"
	notAvailable = "not available"
	twoHolders   = "two holders"
	safe         = "safe"
)

// A meaning explains a word to readers.
type meaning struct{ word, text string }

func meanings() []meaning {
	return []meaning{
		{safe, "both writes are in the resource, or only one of the clients had the lock to write"},
		{refused, "A's late write was refused for its fence, and B's is there"},
		{twoHolders, "B had the lock while A had no reason to doubt that it holds; no write was lost by it this time"},
		{lostUpdate, "a write that the resource took was overwritten by a client that did not know of it"},
		{lostThough, "likewise, but A had been told that the lock is lost before it wrote: a program that heeds it does not write"},
		{newRefused, "the resource refused B, who held the lock, as its fence was lower than one that it had seen"},
		{notAvailable, "B was not granted the lock in the time of the story"},
	}
}

// word says what became of a story in as few words as it takes. What is worst
// for the user goes first.
func (r Result) word() string {
	switch {
	case r.Reason != "":
		return none
	case r.Lost && r.InTime:
		return lostThough
	case r.Lost:
		return lostUpdate
	case r.StaleB:
		return newRefused
	case r.StaleA:
		return refused
	case !r.Granted:
		return notAvailable
	case r.Early:
		return twoHolders
	}
	return safe
}

// correct reports whether no write was lost, and none refused that should not be.
func (r Result) correct() bool { return slices.Contains([]string{safe, refused}, r.word()) }

// result is a story, or says that there is none.
func (r *Report) result(system, scenario string, checked bool) Result {
	at := slices.IndexFunc(r.Results, func(one Result) bool {
		return one.System == system && one.Scenario == scenario && one.Checked == checked
	})
	if at < 0 {
		return Result{System: system, Scenario: scenario, Checked: checked, Reason: "Not measured in this run."}
	}
	return r.Results[at]
}

// notes are the numbered notes below a table. The same text has one number.
type notes struct{ texts []string }

// mark is the number of a note, to stand behind what it explains.
func (n *notes) mark(text string) string {
	at := slices.Index(n.texts, text)
	if at < 0 {
		n.texts = append(n.texts, text)
		at = len(n.texts) - 1
	}
	return fmt.Sprintf(" (%d)", at+1)
}

// cell is the word for a story, with a note where the word alone tells too little.
func (n *notes) cell(r Result) string {
	word := r.word()
	switch {
	case word == none:
		return word + n.mark(r.Reason)
	case word == notAvailable && r.Answer != "":
		return word + n.mark("B was told: "+r.Answer)
	}
	return word
}
