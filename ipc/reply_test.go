package ipc_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lockside/ipc"
)

func TestAppendFields(t *testing.T) {
	at := time.Date(2026, 12, 2, 3, 8, 11, 42e6, time.FixedZone("", 3600))
	for want, got := range map[string][]byte{
		" key=value":                      ipc.AppendString(nil, "key", "value"),
		" key=":                           ipc.AppendString(nil, "key", ""),
		" key=a%20b=c%25%0A%7F":           ipc.AppendString(nil, "key", "a b=c%\n\x7f"),
		" key=grüße":                      ipc.AppendString(nil, "key", "grüße"),
		" key=%FF%C2%85%E2%80%A8\uFFFD":   ipc.AppendString(nil, "key", "\xff\u0085\u2028\uFFFD"),
		" fence=-9223372036854775808":     ipc.AppendInt(nil, "fence", -1<<63),
		" lease=694d99d1c8f2a001":         ipc.AppendHex(nil, "lease", 0x694d99d1c8f2a001),
		" left=12.8s":                     ipc.AppendDuration(nil, "left", 12800*time.Millisecond),
		" left=0.25s":                     ipc.AppendDuration(nil, "left", 250*time.Millisecond),
		" left=0.005s":                    ipc.AppendDuration(nil, "left", 5999*time.Microsecond),
		" left=3600s":                     ipc.AppendDuration(nil, "left", time.Hour),
		" left=0s":                        ipc.AppendDuration(nil, "left", -time.Second),
		" since=2026-12-02T02:08:11.042Z": ipc.AppendTime(nil, "since", at),
		" text=two words  = 100%":         ipc.AppendText(nil, "two words\n = 100%"),
	} {
		if string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAppendErr(t *testing.T) {
	for want, err := range map[string]error{
		"ERR busy held by web-3\n":                  fmt.Errorf("lock nightly: %w", ipc.ErrBusy.WithText("held by %s", "web-3")),
		"ERR busy\n":                                &ipc.Error{Code: ipc.CodeBusy},
		"ERR denied a b\uFFFD\n":                    ipc.ErrDenied.WithText("a\nb\xff"),
		string(ipc.AppendErr(nil, ipc.ErrInternal)): errors.New("etcd at 10.0.0.7: password wrong"),
	} {
		if got := string(ipc.AppendErr(nil, err)); got != want {
			t.Errorf("AppendErr(%v) = %q, want %q", err, got, want)
		}
	}
}

func TestNoLineExceedsMaxLine(t *testing.T) {
	before := "OK\n"
	long := strings.Repeat("ü ", ipc.MaxLine)
	data := ipc.AppendInt(ipc.AppendData([]byte(before)), "fence", 7)
	for name, got := range map[string][]byte{
		"fields": ipc.AppendEnd(ipc.AppendString(ipc.AppendString(data, "host", long), "owner", "x")),
		"text":   ipc.AppendErr([]byte(before), ipc.ErrLimit.WithText("%s", long)),
		"runes":  ipc.AppendErr([]byte(before), ipc.ErrLimit.WithText("x%s", long)),
	} {
		line, ok := strings.CutPrefix(string(got), before)
		if !ok || len(line) > ipc.MaxLine || strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") || !utf8.ValidString(line) {
			t.Errorf("%s: a line of %d bytes: %.40q", name, len(line), line)
		}
	}
	fits := ipc.AppendString(ipc.AppendData(nil), "k", strings.Repeat("x", ipc.MaxLine-len("+ k=\n")))
	if got := ipc.AppendEnd(fits); len(got) != ipc.MaxLine {
		t.Errorf("a line that just fits became one of %d bytes", len(got))
	}
	over := append(fits[:len(fits):len(fits)], 'x')
	if got := string(ipc.AppendEnd(over)); got != "+\n" {
		t.Errorf("a field that does not fit was not left out: %.40q", got)
	}
}

// TestTheLongestKeyFits holds what MaxName promises.
func TestTheLongestKeyFits(t *testing.T) {
	name := strings.Repeat("/", ipc.MaxName)
	key := "a-long-prefix/" + strings.Repeat("%2F", ipc.MaxName) + "/7fffffffffffffff-16"
	g := &ipc.Grant{Fence: 1<<63 - 1, Cluster: 1<<64 - 1, Lease: 1<<63 - 1, TTL: time.Hour, Names: []string{name}, Keys: []string{key}}
	r, err := ipc.ParseReply([]byte(strings.TrimSuffix(string(ipc.AppendGrant(nil, g)), "\n")))
	if err != nil || r.Fields.Get("key") != key {
		t.Errorf("the key of the longest name came back as %.40q, %v", r.Fields.Get("key"), err)
	}
}

func TestRepliesAllocateNothing(t *testing.T) {
	g := &ipc.Grant{Fence: 8123, Lease: 0x694d99, TTL: 15 * time.Second, Names: []string{"a"}, Keys: []string{"lockside/a/694d99-0"}}
	buf := make([]byte, 0, 4*ipc.MaxLine)
	var busy error = ipc.ErrBusy
	if got := testing.AllocsPerRun(100, func() {
		buf = ipc.AppendGrant(buf[:0], g)
		buf = ipc.AppendErr(buf, busy)
		buf = ipc.AppendLost(buf, ipc.ReasonShutdown)
		buf = ipc.AppendEnd(ipc.AppendDuration(ipc.AppendOK(buf), "held", time.Second))
	}); got != 0 {
		t.Errorf("%v allocations, want none", got)
	}
}

func TestAppendGrant(t *testing.T) {
	g := &ipc.Grant{Fence: 8123, Cluster: 0xcdf818194e3a8c32, Lease: 0x694d99, TTL: 15 * time.Second, Until: 4711*time.Second + 250999*time.Microsecond, Names: []string{"a"}, Keys: []string{"lockside/a/694d99-0"}}
	if got, want := string(ipc.AppendGrant(nil, g)), "OK fence=8123 cluster=cdf818194e3a8c32 lease=694d99 ttl=15s until=4711.25s key=lockside/a/694d99-0\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	g.Names, g.Keys = []string{"x/y", "b"}, []string{"lockside/x%2Fy/694d99-0", "lockside/b/694d99-1"}
	want := "+ name=x/y key=lockside/x%252Fy/694d99-0\n" +
		"+ name=b key=lockside/b/694d99-1\n" +
		"OK fence=8123 cluster=cdf818194e3a8c32 lease=694d99 ttl=15s until=4711.25s\n"
	if got := string(ipc.AppendGrant(nil, g)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseReply(t *testing.T) {
	for line, want := range map[string]ipc.Reply{
		"OK":                     {Kind: ipc.KindOK},
		"OK\r":                   {Kind: ipc.KindOK},
		"OK fence=8 key=a%2Fb":   {Kind: ipc.KindOK, Fields: ipc.Fields{{"fence", "8"}, {"key", "a/b"}}},
		"ERR busy":               {Kind: ipc.KindErr, Code: ipc.CodeBusy},
		"ERR busy held by  a=b":  {Kind: ipc.KindErr, Code: ipc.CodeBusy, Text: "held by  a=b"},
		"+ a= b=c=d":             {Kind: ipc.KindData, Fields: ipc.Fields{{"a", ""}, {"b", "c=d"}}},
		"+ a=1 text=two words %": {Kind: ipc.KindData, Fields: ipc.Fields{{"a", "1"}, {"text", "two words %"}}},
		"! LOST reason=max-hold": {Kind: ipc.KindEvent, Event: "LOST", Fields: ipc.Fields{{"reason", "max-hold"}}},
		"! FREE":                 {Kind: ipc.KindEvent, Event: "FREE"},
	} {
		got, err := ipc.ParseReply([]byte(line))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("ParseReply(%q) = %+v, %v, want %+v", line, got, err, want)
		}
	}
	for _, line := range []string{"", "ok", "OKAY", "ERR", "!", "! ", "OK a", "OK =b", "+ a=%", "! \r ", "OK a=\xff", "HTTP/1.1 400"} {
		if got, err := ipc.ParseReply([]byte(line)); !errors.Is(err, ipc.ErrMalformed) {
			t.Errorf("ParseReply(%q) = %+v, %v, want an error", line, got, err)
		}
	}
}
