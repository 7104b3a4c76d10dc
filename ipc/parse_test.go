package ipc_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"lockside/ipc"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]ipc.Request{
		"PING":                          {Verb: ipc.VerbPing},
		"ping\r":                        {Verb: ipc.VerbPing},
		"  Ping  ":                      {Verb: ipc.VerbPing},
		"STATUS":                        {Verb: ipc.VerbStatus},
		"QUIT":                          {Verb: ipc.VerbQuit},
		"CANCEL":                        {Verb: ipc.VerbCancel},
		"ACCEPT-RESTORE":                {Verb: ipc.VerbAcceptRestore},
		"accept-restore raise":          {Verb: ipc.VerbAcceptRestore, Raise: true},
		"ACCEPT-RESTORE lower-fences=8": {Verb: ipc.VerbAcceptRestore, LowerFences: 8},
		"LOCK nightly":                  {Verb: ipc.VerbLock, Names: []string{"nightly"}},
		"lock  b   a":                   {Verb: ipc.VerbLock, Names: []string{"b", "a"}},
		"LOCK a wait=0":                 {Verb: ipc.VerbLock, Names: []string{"a"}, Wait: try},
		"LOCK wait=1.5s a ttl=2m":       {Verb: ipc.VerbLock, Names: []string{"a"}, Wait: 1500 * time.Millisecond, TTL: 2 * time.Minute},
		"LOCK a owner=the%20job":        {Verb: ipc.VerbLock, Names: []string{"a"}, Owner: "the job"},
		"LOCK a owner=x=y":              {Verb: ipc.VerbLock, Names: []string{"a"}, Owner: "x=y"},
		"LOCK a%20b a%3Db 50%25 x/y":    {Verb: ipc.VerbLock, Names: []string{"a b", "a=b", "50%", "x/y"}},
		"LOCK gr\u00fc\u00dfe":          {Verb: ipc.VerbLock, Names: []string{"grüße"}},
		"LOCK gr%c3%bC%C3%9fe":          {Verb: ipc.VerbLock, Names: []string{"grüße"}},
		"UNLOCK a b":                    {Verb: ipc.VerbUnlock, Names: []string{"a", "b"}},
		"UNLOCK a fence=8123":           {Verb: ipc.VerbUnlock, Names: []string{"a"}, Fence: 8123},
		"CHECK a":                       {Verb: ipc.VerbCheck, Names: []string{"a"}},
		"CHECK verify":                  {Verb: ipc.VerbCheck, Names: []string{"verify"}},
		"CHECK verify verify":           {Verb: ipc.VerbCheck, Names: []string{"verify"}, Verify: true},
		"WHO a":                         {Verb: ipc.VerbWho, Names: []string{"a"}},
		"LIST":                          {Verb: ipc.VerbList},
		"LIST app-* scope=cluster":      {Verb: ipc.VerbList, Glob: "app-*", Scope: ipc.ScopeCluster},
		"HELLO":                         {Verb: ipc.VerbHello},
		"HELLO version=1 owner=me":      {Verb: ipc.VerbHello, Version: 1, Owner: "me"},
		"HELLO events=lost":             {Verb: ipc.VerbHello, Events: ipc.EventsLost},
		"HELP":                          {Verb: ipc.VerbHelp},
		"HELP lock":                     {Verb: ipc.VerbHelp, Topic: "LOCK"},
		"LOCK " + long(ipc.MaxName):     {Verb: ipc.VerbLock, Names: []string{long(ipc.MaxName)}},
		"LOCK " + names(ipc.MaxNames):   {Verb: ipc.VerbLock, Names: strings.Fields(names(ipc.MaxNames))},
	} {
		var got ipc.Request
		if err := got.Parse([]byte(line)); err != nil {
			t.Errorf("Parse(%.60q): %v", line, err)
			continue
		}
		if want := defaults(want); !reflect.DeepEqual(got, want) {
			t.Errorf("Parse(%.60q)\n got %+v\nwant %+v", line, got, want)
		}
	}
}

// try stands for wait=0 in the table above, where 0 is "not said".
const try = -2

// defaults fills in what a line leaves out.
func defaults(r ipc.Request) ipc.Request {
	switch r.Wait {
	case 0:
		r.Wait = ipc.WaitForever
	case try:
		r.Wait = 0
	}
	if r.Glob == "" {
		r.Glob = "*"
	}
	return r
}

func TestParseRefuses(t *testing.T) {
	for line, text := range map[string]string{
		"":                                     "empty line",
		"   ":                                  "empty line",
		"FROB a":                               "unknown verb",
		"WATCH a":                              "unknown verb",
		"LOCKS a":                              "unknown verb",
		"lock=1":                               "unknown verb",
		"%4COCK a":                             "unknown verb",
		"LOCK":                                 "needs a name",
		"LOCK wait=1":                          "needs a name",
		"LOCK a a":                             "named twice",
		"LOCK a %61":                           "named twice",
		"LOCK a wait=1 wait=1":                 "wait= is given twice",
		"LOCK a wait=":                         "wait= is empty",
		"LOCK a owner=":                        "owner= is empty",
		"LOCK a wait=-1":                       "not a duration",
		"LOCK a wait=1d":                       "not a duration",
		"LOCK a wait=soon":                     "not a duration",
		"LOCK a wait=9999999999h":              "not a duration",
		"LOCK a ttl=1500ms":                    "whole seconds",
		"LOCK a ttl=0":                         "whole seconds",
		"LOCK a max=5m":                        "unknown option",
		"LOCK a beat=5s":                       "unknown option",
		"LOCK a Wait=5s":                       "unknown option",
		"LOCK a=b":                             "%3D",
		"LOCK a =b":                            "unknown option",
		"LOCK a fence=1":                       "takes no option fence=",
		"LOCK a%":                              "%25",
		"LOCK a%2":                             "two hex digits",
		"LOCK a%zz":                            "two hex digits",
		"LOCK a owner=%zz":                     "two hex digits",
		"LOCK a wait=%zz":                      "two hex digits",
		"LOCK a\tb":                            "separate words by spaces",
		"LOCK a\x00":                           "U+0000",
		"LOCK a\x7f":                           "U+007F",
		"LOCK a\rb":                            "U+000D",
		"LOCK a\u0085":                         "U+0085",
		"LOCK a\xff":                           "byte 7 is not UTF-8",
		"LOCK a%00":                            "U+0000",
		"LOCK a%0A":                            "U+000A",
		"LOCK a%ff":                            "not UTF-8",
		"LOCK a owner=%1b":                     "U+001B",
		"ACCEPT-RESTORE nightly":               "takes no word",
		"ACCEPT-RESTORE raise raise":           "takes no word",
		"ACCEPT-RESTORE lower-fences=0":        "not the number",
		"ACCEPT-RESTORE lower-fences=yes":      "not the number",
		"UNLOCK a fence=0":                     "not a fence",
		"UNLOCK a fence=-1":                    "not a fence",
		"UNLOCK a fence=0x10":                  "not a fence",
		"UNLOCK a fence=9223372036854775808":   "not a fence",
		"CHECK a Verify":                       "at most 1",
		"CHECK a verify verify":                "at most 1",
		"CHECK a b":                            "at most 1",
		"WHO":                                  "needs a name",
		"WHO a b":                              "%20",
		"LIST a b":                             "at most 1",
		"LIST scope=world":                     "HELP LIST",
		"STATUS now":                           "takes no word",
		"PING wait=1":                          "takes no option",
		"HELLO me":                             "takes no word",
		"HELLO version=2":                      "version 1 is spoken here",
		"HELLO events=holder":                  "HELP HELLO",
		"HELP frob":                            "no help",
		"HELP lock lock":                       "at most 1",
		"LOCK " + long(ipc.MaxName+1):          "at most 512",
		"LOCK a owner=" + long(ipc.MaxOwner+1): "at most 256",
		"LOCK " + names(ipc.MaxNames+1):        "at most 32",
	} {
		err := new(ipc.Request).Parse([]byte(line))
		if !errors.Is(err, ipc.ErrBadRequest) {
			t.Errorf("Parse(%.60q) = %v, want bad-request", line, err)
		} else if !strings.Contains(err.Error(), text) {
			t.Errorf("Parse(%.60q) = %v, want a text with %q", line, err, text)
		}
	}
}

// long is a name of n bytes, and names are n of them.
func long(n int) string { return strings.Repeat("x", n) }

func names(n int) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(" n" + string(rune('A'+i)))
	}
	return all.String()
}

func TestParseForgetsTheRequestBefore(t *testing.T) {
	var r ipc.Request
	for _, line := range []string{"LOCK a b wait=5 ttl=15 owner=me", "FROB", "PING"} {
		_ = r.Parse([]byte(line))
	}
	if want := defaults(ipc.Request{Verb: ipc.VerbPing, Names: []string{}}); !reflect.DeepEqual(r, want) {
		t.Errorf("got %+v, want %+v", r, want)
	}
}

func TestParseKeepsNothingOfTheLine(t *testing.T) {
	line := []byte("LOCK nightly owner=backup")
	var r ipc.Request
	if err := r.Parse(line); err != nil {
		t.Fatal(err)
	}
	clear(line)
	if r.Names[0] != "nightly" || r.Owner != "backup" {
		t.Errorf("the request changed with the line: %+v", r)
	}
}

func TestParseAllocatesTheNameAlone(t *testing.T) {
	for line, want := range map[string]float64{
		"LOCK nightly wait=5s":       1,
		"UNLOCK nightly fence=81234": 1,
		"CHECK nightly verify":       1,
		"PING":                       0,
	} {
		var r ipc.Request
		text := []byte(line)
		got := testing.AllocsPerRun(100, func() {
			if err := r.Parse(text); err != nil {
				t.Error(err)
			}
		})
		if got != want {
			t.Errorf("Parse(%q) allocates %v times, want %v", line, got, want)
		}
	}
}

func TestRequestAppend(t *testing.T) {
	for _, line := range []string{
		"PING", "LOCK a%20b a%3Db 50%25 grüße wait=0s owner=x=y", "LOCK a wait=0.25s ttl=120s",
		"LOCK a wait=0.000001ms", "UNLOCK a b fence=7", "CHECK verify verify", "WHO a",
		"LIST app-* scope=host", "LIST", "HELLO version=1 owner=me events=lost", "HELP LOCK", "CANCEL",
	} {
		var r ipc.Request
		if err := r.Parse([]byte(line)); err != nil {
			t.Errorf("Parse(%q): %v", line, err)
		}
		want := strings.Replace(line, "LIST app-* scope=host", "LIST scope=host app-*", 1)
		if got := string(r.Append(nil)); got != want+"\n" {
			t.Errorf("Append of %q = %q", line, got)
		}
	}
}
