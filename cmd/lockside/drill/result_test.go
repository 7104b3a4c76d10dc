package drill

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"lockside/cmd/lockside/drill/register"
	"lockside/fencing"
	"lockside/ipc"
)

func TestJudge(t *testing.T) {
	stale, answer := &failure{Text: "stale", Stale: true}, &failure{Text: "status 500", Answer: true}
	for _, test := range []struct {
		fenced bool
		late   *failure
		value  string
		want   Verdict
	}{
		{true, stale, "second", Refused},
		{true, stale, "first", Unclear}, // it said so, and wrote
		{true, nil, "first", LetIn},
		{true, nil, "second", LetIn}, // it said that it wrote
		{true, answer, "second", Unclear},
		{false, nil, "first", Lost},
		{false, nil, "second", Unclear},
		{false, answer, "second", NotWanted},
	} {
		verdict, sentence := judge(test.fenced, test.late, test.value, "second")
		if verdict != test.want || !strings.HasPrefix(sentence, "The ") {
			t.Errorf("judge(%v, %v, %q) is %s, %q; want %s", test.fenced, test.late, test.value, verdict, sentence, test.want)
		}
	}
}

// What the drill has to know of an error reaches it.
func TestFailureOnItsWay(t *testing.T) {
	token, highest := fencing.Token{Cluster: 1, Fence: 8}, fencing.Token{Cluster: 1, Fence: 9}
	for _, test := range []struct{ err, is error }{
		{&fencing.StaleError{Token: token, Highest: highest}, fencing.ErrStale},
		{&fencing.StaleError{Token: token}, fencing.ErrStale},
		{fmt.Errorf("lock a: %w", ipc.ErrBusy), ipc.ErrBusy},
		{&register.StatusError{Method: "PUT", Status: 500}, ErrAnswer},
		{&fencing.ClusterError{Token: token, Highest: highest}, ErrAnswer},
	} {
		text, err := json.Marshal(report{Failed: newFailure(test.err)})
		if err != nil {
			t.Fatal(err)
		}
		var got report
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(got.Failed, test.is) || got.Failed.Error() != test.err.Error() {
			t.Errorf("%v became %v", test.err, got.Failed)
		}
		if stale, ok := errors.AsType[*fencing.StaleError](test.err); ok && got.Failed.Highest != stale.Highest {
			t.Errorf("%v became one with %v", test.err, got.Failed.Highest)
		}
	}
	if err := newFailure(errors.New("psql is not installed")); errors.Is(err, ErrAnswer) || errors.Is(err, fencing.ErrStale) {
		t.Errorf("%v is taken for an answer", err)
	}
}

// TestSecondsAreThousandths holds that JSON has no more digits than were meant.
func TestSecondsAreThousandths(t *testing.T) {
	line := timeline{out: io.Discard, began: time.Now().Add(-3619 * time.Millisecond)}
	line.tell(drillName, "nothing")
	if text, err := json.Marshal(line.steps[0].Seconds); err != nil || len(text) > len("3.619") {
		t.Errorf("%s, %v", text, err)
	}
}
