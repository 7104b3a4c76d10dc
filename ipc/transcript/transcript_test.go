package transcript_test

import (
	"bufio"
	"fmt"
	"net"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"lockside/ipc/transcript"
)

const document = `# A protocol

## LOCK

` + "```" + `
C: not a transcript
` + "```" + `
` + "```transcript" + `
C: LOCK a
S: OK fence=<fence>
` + "```" + `

# no heading in a block
` + "```sh" + `
# no heading
` + "```" + `
` + "```transcript" + `
C12: UNLOCK a fence=<fence>
S12: <eof>
` + "```" + `
`

func TestParse(t *testing.T) {
	got, err := transcript.Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	want := []transcript.Transcript{
		{Name: "LOCK", Line: 8, Steps: []transcript.Step{
			{Line: 9, Text: "LOCK a"},
			{Line: 10, FromPeer: true, Text: "OK fence=<fence>"},
		}},
		{Name: "no heading in a block", Line: 17, Steps: []transcript.Step{
			{Line: 18, Conn: "12", Text: "UNLOCK a fence=<fence>"},
			{Line: 19, Conn: "12", FromPeer: true, Text: "<eof>"},
		}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestParseNumbersTheTranscriptsOfOneHeading(t *testing.T) {
	block := "```transcript\nC: PING\n```\n"
	got, err := transcript.Parse("# PING\n" + block + block)
	if err != nil || len(got) != 2 || got[0].Name != "PING" || got[1].Name != "PING 2" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for body, want := range map[string]string{
		"C: PING\n":              "is not closed",
		"PING\n```\n":            "neither sent",
		"D: PING\n```\n":         "neither sent",
		"Cx: PING\n```\n":        "neither sent",
		"S: OK a=<integer>\n```": "<integer> stands for nothing",
		"C: LOCK <word>\n```":    "<word> stands for nothing",
		"S: <long line>\n```\n":  "<long line> stands for nothing",
	} {
		if got, err := transcript.Parse("```transcript\n" + body); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %+v, %v, want %q", body, got, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	const lock = "OK fence=<fence> lease=<hex> ttl=15s key=lockside/a/<key>"
	for _, c := range []struct {
		pattern, line string
		want          bool
	}{
		{"OK", "OK", true},
		{"OK", "OK a=1", false},
		{"OK", "ERR busy", false},
		{lock, "OK fence=8123 lease=694d ttl=15s key=lockside/a/694d-0", true},
		{lock, "OK key=lockside/a/694d-0 ttl=15s fence=8123 lease=694d", true},
		{lock, "OK fence=8123 lease=694d ttl=15s", false},
		{lock, "OK fence=8123 lease=694d ttl=15s key=lockside/a/694d-0 new=1", false},
		{lock, "OK fence=-1 lease=694d ttl=15s key=lockside/a/694d-0", false},
		{lock, "OK fence=8123 lease=694D ttl=15s key=lockside/a/694d-0", false},
		{"ERR busy <text>", "ERR busy held by a=b", true},
		{"ERR busy <text>", "ERR timeout held by a=b", false},
		{"ERR busy", "ERR busy held", false},
		{"+ a=<int> [b=<word>]", "+ a=1", true},
		{"+ a=<int> [b=<word>]", "+ b=x a=1", true},
		{"+ a=<int> [b=<word>]", "+ b= a=1", false},
		{"+ text=WHO NAME", "+ text=WHO NAME", true},
		{"+ text=<text>", "+ text=LOCK NAME... [wait=DURATION]", true},
		{"+ text=WHO", "+ text=WHO NAME", false},
		{"+ a=1 text=<text>", "+ text=a a=1", false},
		{"! LOST reason=<word>", "! LOST reason=deadline", true},
		{"! LOST reason=<word>", "! FREE reason=deadline", false},
		{"OK left=<duration>", "OK left=0.25s", true},
		{"OK left=<duration>", "OK left=250ms", false},
		{"+ since=<time>", "+ since=2026-12-02T02:08:11.042Z", true},
		{"+ since=<time>", "+ since=2026-12-02 02:08", false},
		{"<eof>", "OK", false},
	} {
		if got := transcript.Match(c.pattern, c.line); got != c.want {
			t.Errorf("Match(%q, %q) = %v, want %v", c.pattern, c.line, got, c.want)
		}
	}
}

// replay runs a transcript against a server that answers each line by what
// answer says; "" closes the connection.
func replay(t *testing.T, tb testing.TB, body string, answer func(line string) string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	t.Cleanup(func() { listener.Close() })
	wg.Go(func() {
		for {
			socket, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { serve(socket, answer) })
		}
	})
	found, err := transcript.Parse("```transcript\n" + body + "```\n")
	if err != nil {
		t.Fatal(err)
	}
	transcript.Run(tb, func() net.Conn {
		socket, err := net.Dial("unix", path)
		if err != nil {
			t.Error(err)
		}
		return socket
	}, found[0])
}

func serve(socket net.Conn, answer func(line string) string) {
	defer socket.Close()
	for in := bufio.NewScanner(socket); in.Scan(); {
		reply := answer(in.Text())
		if reply == "" {
			return
		}
		fmt.Fprintln(socket, reply)
	}
}

func TestRun(t *testing.T) {
	asked := 0
	replay(t, t, `C1: LOCK a
S1: OK fence=<fence>
C2: STATUS
S2: + held=<int>
S2: OK
C1: UNLOCK a fence=<fence>
S1: OK held=<duration>
C1: <shutdown>
S1: <eof>
C2: <long line>
S2: ERR too-long <text>
C2: <eof>
`, func(line string) string {
		switch {
		case line == "LOCK a":
			return "OK fence=8123"
		case line == "STATUS":
			if asked++; asked < 3 {
				return "OK"
			}
			return "+ held=1\nOK"
		case line == "UNLOCK a fence=8123":
			return "OK held=1.2s"
		case len(line) > 8192:
			return "ERR too-long a line"
		}
		t.Errorf("unexpected %q", line)
		return ""
	})
	if asked != 3 {
		t.Errorf("STATUS was asked %d times, want until the answer matched", asked)
	}
}

// A failure takes note of what would end the test.
type failure struct {
	testing.TB
	text string
}

func (f *failure) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestRunFails(t *testing.T) {
	for body, answer := range map[string]string{
		"C: LOCK a\nS: OK fence=<int>\n": "OK fence=x",
		"C: LOCK a\nS: OK\n":             "",
		"C: LOCK a\nS: <eof>\n":          "OK",
	} {
		probe := &failure{TB: t}
		var run sync.WaitGroup
		run.Go(func() {
			replay(t, probe, body, func(string) string { return answer })
		})
		run.Wait()
		if !strings.Contains(probe.text, "line 3:") {
			t.Errorf("%q with the answer %q: %q", body, answer, probe.text)
		}
	}
}
