package drill

import (
	"fmt"
	"io"
	"time"

	"lockside/fencing"
)

// A Verdict is what a drill has shown.
type Verdict string

// The verdicts.
const (
	Refused   Verdict = "refused"    // the stale write, because it was stale
	LetIn     Verdict = "let-in"     // the stale write, although it was fenced
	Unclear   Verdict = "unclear"    // neither: the resource answered something else
	Lost      Verdict = "lost"       // an update, since nobody checked
	NotWanted Verdict = "not-wanted" // a write without a fence, by the resource
)

// A Result is what happened in a drill.
type Result struct {
	Verdict  Verdict       `json:"verdict"`
	Shown    bool          `json:"shown"` // what the drill is there to show
	Sentence string        `json:"sentence"`
	Lock     string        `json:"lock"`
	Resource string        `json:"resource"`
	Fenced   bool          `json:"fenced"`
	First    fencing.Token `json:"first,omitzero"`
	Second   fencing.Token `json:"second,omitzero"`
	Value    string        `json:"value"` // in the end
	Steps    []Step        `json:"steps"`
}

// A Step is what one of those in the drill did.
type Step struct {
	Seconds float64 `json:"seconds"` // since the drill began
	Who     string  `json:"who"`
	Did     string  `json:"did"`
}

// A timeline is told as it happens.
type timeline struct {
	out   io.Writer
	began time.Time
	steps []Step
}

func (t *timeline) tell(who, format string, args ...any) {
	s := Step{Seconds: float64(time.Since(t.began).Milliseconds()) / 1e3, Who: who, Did: fmt.Sprintf(format, args...)}
	t.steps = append(t.steps, s)
	fmt.Fprintf(t.out, "%2d %6.1fs  %-6s  %s\n", len(t.steps), s.Seconds, s.Who, s.Did)
}

// judge says what the end of a story has shown: an error of the stale write, and the
// text that the resource has afterwards.
func judge(fenced bool, stale *failure, value, want string) (Verdict, string) {
	kept := value == want
	switch {
	case fenced && stale == nil:
		return LetIn, "The resource let a stale write in: it does not check fences, and the second's update is lost."
	case fenced && stale.Stale && kept:
		return Refused, "The resource refused the stale write, and the second's update is there."
	case fenced && stale.Stale:
		return Unclear, "The resource said that it refused the stale write, but the second's update is not there."
	case fenced:
		return Unclear, "The resource did not say that the write was stale, so that the first could not have told: " + stale.Text
	case stale != nil:
		return NotWanted, "The resource refused a write without a fence, so that no update was lost: " + stale.Text
	case kept:
		return Unclear, "The resource took the late write, but the second's update is there."
	}
	return Lost, "The second's update is lost. The lock could not keep the first from writing; a check of fences can."
}
