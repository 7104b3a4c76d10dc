package ipc_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"lockside/ipc"
)

// FuzzRequestParse holds that a line is either refused with bad-request, or
// means a request which, written out, is read as the same one.
func FuzzRequestParse(f *testing.F) {
	for _, line := range []string{
		"LOCK nightly", "lock a%20b x=y", "LOCK a wait=1.5s ttl=2m owner=me", "UNLOCK a fence=8123",
		"CHECK a verify", "LIST app-* scope=cluster", "HELLO version=1 events=lost", "HELP lock", "PING\r",
		"LOCK a%00", "LOCK \xff", "LOCK a wait=9223372036854.775807ms", "LOCK verify=", "  ", "LOCK gr%c3%bc",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var r, again ipc.Request
		if err := r.Parse(line); err != nil {
			wantOneLine(t, err)
			return
		}
		for _, name := range r.Names {
			if name == "" || len(name) > ipc.MaxName || !utf8.ValidString(name) || strings.ContainsAny(name, "\x00\n") {
				t.Errorf("Parse(%q) took the name %q", line, name)
			}
		}
		written := r.Append(nil)
		if err := again.Parse(bytes.TrimSuffix(written, []byte("\n"))); err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%q is %+v\nwritten as %q it is %+v, %v", line, r, written, again, err)
		}
	})
}

// wantOneLine holds that a refusal is bad-request and can be sent.
func wantOneLine(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ipc.ErrBadRequest) {
		t.Errorf("refused with %v", err)
	}
	line := ipc.AppendErr(nil, err)
	if len(line) > ipc.MaxLine || bytes.Count(line, []byte("\n")) != 1 || !utf8.Valid(line) {
		t.Errorf("refused with the line %q", line)
	}
}

// FuzzReply holds that a line is refused, or means a reply which, written out,
// is read as the same one.
func FuzzReply(f *testing.F) {
	for _, line := range []string{
		"OK", "OK fence=8123 lease=694d ttl=15s until=4711.25s key=lockside/a%252F/694d-0", "ERR busy held by  web-3",
		"+ role=waiter owner=a%20b", "+ text=LOCK NAME... [wait=5s]", "! LOST reason=deadline", "OK a=%ff",
		"ERR", "+ a= text=", "! text=a", "OK text", "OK\r", "ERR  busy",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ipc.ParseReply(line)
		if err != nil {
			if !errors.Is(err, ipc.ErrMalformed) {
				t.Errorf("ParseReply(%q): %v", line, err)
			}
			return
		}
		if len(line) > ipc.MaxLine/4 {
			return // escaped once more, it need not fit into a line
		}
		written := r.Append(nil)
		again, err := ipc.ParseReply(bytes.TrimSuffix(written, []byte("\n")))
		if err != nil || !reflect.DeepEqual(clean(r), clean(again)) {
			t.Errorf("%q is %+v\nwritten as %q it is %+v, %v", line, r, written, again, err)
		}
	})
}

// clean is a reply as writing changes it: text for people keeps no characters
// that some programs take for the end of a line.
func clean(r ipc.Reply) ipc.Reply {
	r.Text = plain(r.Text)
	for i, field := range r.Fields {
		if field.Key == "text" {
			r.Fields[i].Value = plain(field.Value)
		}
	}
	return r
}

func plain(text string) string {
	line := ipc.AppendText(nil, text)
	return strings.TrimPrefix(string(line), " text=")
}

// FuzzFields holds that a value survives the way through a line, whatever its
// bytes are.
func FuzzFields(f *testing.F) {
	f.Add("a b=c%", "text=")
	f.Add("\xff\u2028\u0085", "\r")
	f.Fuzz(func(t *testing.T, a, b string) {
		line := ipc.AppendString(ipc.AppendString(ipc.AppendData(nil), "a", a), "b", b)
		if len(line) >= ipc.MaxLine {
			return
		}
		line, ended := bytes.CutSuffix(ipc.AppendEnd(line), []byte("\n"))
		r, err := ipc.ParseReply(line)
		want := ipc.Fields{{Key: "a", Value: a}, {Key: "b", Value: b}}
		if err != nil || !ended || !utf8.Valid(line) || !reflect.DeepEqual(r.Fields, want) {
			t.Errorf("%q and %q came back as %q, %v", a, b, r.Fields, err)
		}
	})
}
