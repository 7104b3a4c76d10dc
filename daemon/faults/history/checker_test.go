package history_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"lockside/daemon/faults/history"
)

// parse makes a history of lines such as "a granted x y fence=7", each a
// millisecond after the one before. The client - is none; begin= is the number
// of a line.
func parse(t *testing.T, text string) []history.Event {
	t.Helper()
	var all []history.Event
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		e := history.Event{At: time.Duration(len(all)+1) * time.Millisecond, Kind: history.Kind(words[1])}
		if words[0] != "-" {
			e.Client = words[0]
		}
		for _, word := range words[2:] {
			key, value, option := strings.Cut(word, "=")
			if !option {
				e.Names = append(e.Names, word)
				continue
			}
			set(t, &e, key, value)
		}
		all = append(all, e)
	}
	return all
}

func set(t *testing.T, e *history.Event, key, value string) {
	t.Helper()
	if key == "host" {
		e.Host = value
		return
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	switch key {
	case "fence":
		e.Fence = n
	case "lease":
		e.Lease = n
	case "value":
		e.Value = n
	case "denied":
		e.Denied = n == 1
	case "begin":
		e.Begin = time.Duration(n)*time.Millisecond - time.Microsecond
	default:
		t.Fatalf("no field %s", key)
	}
}

// TestChecks has small histories, and the rules that each breaks.
func TestChecks(t *testing.T) {
	tests := []struct {
		name, history, breaks string
	}{
		{"one after the other", `
			a asked x
			b asked x
			a granted x fence=5
			a unlocking x
			b granted x fence=6
			a unlocked x
			b closing`, ""},
		{"two at once", `
			a asked x
			a granted x fence=5
			b asked x
			b granted x fence=6
			a unlocking x`, "overlap"},
		{"two at once, of one name out of two", `
			a asked w x
			a granted w x fence=5
			b asked x y
			b granted x y fence=6`, "overlap"},
		{"three at once", `
			a asked x
			a granted x fence=5
			b asked x
			b granted x fence=6
			c asked x
			c granted x fence=7`, "overlap overlap overlap"},
		{"a name released out of two", `
			a asked w x
			a granted w x fence=5
			a unlocking x
			b asked x
			b granted x fence=6
			c asked w
			c granted w fence=7`, "overlap"},
		{"after the loss", `
			a asked x
			a granted x fence=5
			a lost
			b asked x
			b granted x fence=6`, ""},
		{"before the loss", `
			a asked x
			a granted x fence=5
			b asked x
			b granted x fence=6
			a lost`, "overlap"},
		{"one of two sessions lost", `
			a asked w
			a granted w fence=5
			a asked x
			a granted x fence=6
			a lost w
			b asked w
			b granted w fence=7
			c asked x
			c granted x fence=8`, "overlap"},
		{"the daemon gone, the end not read yet", `
			a asked x host=h
			a granted x fence=5
			- gone host=h
			b asked x host=i
			b granted x fence=6
			a lost`, ""},
		{"another daemon gone", `
			a asked x host=h
			a granted x fence=5
			- gone host=j
			b asked x host=i
			b granted x fence=6`, "overlap"},
		{"a grant that its daemon did not survive", `
			a asked x host=h
			- gone host=h
			b asked x host=i
			b granted x fence=6
			a granted x fence=5
			a lost
			b unlocking x`, ""},
		{"the entry removed", `
			a asked x
			a granted x fence=5
			- removing x fence=5
			b asked x
			b granted x fence=6
			a lost`, ""},
		{"another entry removed", `
			a asked x
			a granted x fence=5
			- removing x fence=4
			b asked x
			b granted x fence=6
			a lost`, "overlap"},
		{"the lease removed, and a grant read after it", `
			a asked x
			a granted x fence=5 lease=1
			c asked y
			- removing lease=1
			b asked x
			b granted x fence=6 lease=2
			a lost
			d asked y
			d granted y fence=8 lease=2
			c granted y fence=4 lease=1
			c lost`, ""},
		{"another lease removed", `
			a asked x
			a granted x fence=5 lease=1
			- removing lease=3
			b asked x
			b granted x fence=6 lease=2`, "overlap"},
		{"killed", `
			a asked x
			a granted x fence=5
			a killed
			b asked x
			b granted x fence=6`, ""},
		{"stopped, and the end read late", `
			a asked x
			a granted x fence=5
			a stopped
			b asked x
			b granted x fence=6
			a lost`, ""},
		{"stopped, and cut in time", `
			a asked x
			a granted x fence=5
			a stopped
			a cut
			b asked x
			b granted x fence=6
			a lost`, ""},
		{"stopped, and cut too late", `
			a asked x
			a granted x fence=5
			a stopped
			b asked x
			b granted x fence=6
			a cut
			a lost`, "overlap"},
		{"stopped, and released after another's grant", `
			a asked x
			a granted x fence=5
			a stopped
			b asked x
			b granted x fence=6
			a unlocking x
			a unlocked x`, "overlap"},
		{"stopped while it waited, with a grant that was over when read", `
			a asked x
			a stopped
			b asked x
			b granted x fence=6
			a granted x fence=5
			a lost`, ""},
		{"stopped while it waited, with a grant beside another's", `
			a asked x
			a stopped
			b asked x
			b granted x fence=6
			a granted x fence=5
			a unlocking x
			a unlocked x`, "overlap"},
		{"two stopped, of which one had lost it", `
			a asked x
			a granted x fence=5
			a stopped
			b asked x
			b stopped
			b granted x fence=6
			b unlocking x
			b unlocked x
			a lost`, ""},
		{"two stopped, and both released", `
			a asked x
			a granted x fence=5
			a stopped
			b asked x
			b stopped
			b granted x fence=6
			b unlocking x
			b unlocked x
			a unlocking x
			a unlocked x`, "overlap"},
		{"a lower fence", `
			a asked x
			a granted x fence=5
			a unlocking x
			b asked x
			b granted x fence=4`, "not-rising"},
		{"a lower fence of another name", `
			a asked x
			a granted x fence=5
			a unlocking x
			b asked y
			b granted y fence=4`, ""},
		{"a fence twice", `
			a asked x
			a granted x fence=5
			a unlocking x
			b asked x
			b granted x fence=5`, "twice"},
		{"one fence for several names", `
			a asked x y
			a granted x y fence=5
			a unlocking x y
			a unlocked x y`, ""},
		{"a write after one with a greater fence", `
			a wrote x fence=5 value=1 begin=1
			b wrote x fence=6 value=2 begin=2
			a wrote x fence=5 value=3 begin=3`, "late-write register"},
		{"a write beside one with a greater fence", `
			b wrote x fence=6 value=2 begin=1
			a wrote x fence=5 value=3 begin=1
			b read x fence=6 value=2 begin=3`, ""},
		{"a write beside one with a greater fence, which is lost", `
			b wrote x fence=6 value=2 begin=1
			a wrote x fence=5 value=3 begin=1
			b read x fence=6 value=3 begin=3`, "register"},
		{"a late write that is denied", `
			a wrote x fence=5 value=1 begin=1
			b wrote x fence=6 value=2 begin=2
			a wrote x fence=5 value=3 begin=3 denied=1
			b read x fence=6 value=2 begin=4`, ""},
		{"a write that is denied without need", `
			a wrote x fence=5 value=1 begin=1
			b wrote x fence=6 value=2 begin=2 denied=1`, "register"},
		{"an old value read", `
			a wrote x fence=5 value=1 begin=1
			b wrote x fence=6 value=2 begin=2
			b read x fence=6 value=1 begin=3`, "register"},
		{"a reader's fence counts too", `
			b read x fence=6 value=0 begin=1
			a wrote x fence=5 value=1 begin=2`, "register"},
		{"the same at another resource", `
			b read y fence=6 value=0 begin=1
			a wrote x fence=5 value=1 begin=2`, ""},
		{"all waiters served or gone", `
			a asked x
			b asked x
			c asked x
			a granted x fence=5
			b refused x
			c closing`, ""},
		{"a waiter that stays", `
			a asked x
			b asked x
			a granted x fence=5
			a unlocking x
			a unlocked x`, "unserved"},
		{"a waiter whose daemon is gone, but which never learned it", `
			a asked x host=h
			- gone host=h`, "unserved"},
		{"granted unasked", `a granted x fence=5`, "senseless"},
		{"granted something else", `
			a asked x
			a granted y fence=5`, "senseless unserved"},
		{"asked twice", `
			a asked x
			a asked y
			a closing`, "senseless"},
		{"released what another has", `
			a asked x
			a granted x fence=5
			b unlocking x`, "senseless"},
		{"a use that ends before it begins", `a wrote x fence=5 value=1 begin=3`, "senseless"},
		{"no such kind", `a danced x`, "senseless"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var broken []string
			found := history.Check(parse(t, test.history))
			for _, v := range found {
				broken = append(broken, string(v.Rule))
			}
			if got := strings.Join(broken, " "); got != test.breaks {
				t.Errorf("it breaks %q, want %q", got, test.breaks)
				for _, v := range found {
					t.Log(v)
				}
			}
		})
	}
}
