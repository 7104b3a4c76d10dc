package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockside/ipc"
)

// A replay types what a page shows as typed, and holds what appears against
// what the page shows.
type replay struct {
	t         testing.TB
	open      func() *terminal
	stands    *strings.Replacer // puts what is here in place of what the page says
	fences    fences
	terminals map[string]*desk
}

// A desk is a terminal of the page, and how far it has come there.
type desk struct {
	*terminal
	at       int // line of the page
	patience time.Duration
	left     bool // the page leaves out what comes next
}

// block replays a block of the page at its terminal.
func (r *replay) block(b block) {
	r.t.Helper()
	d := r.terminals[b.name]
	if d == nil {
		d = &desk{terminal: r.open(), patience: patience}
		r.terminals[b.name] = d
	}
	for i, line := range b.lines {
		d.at = b.first + i
		r.line(d, r.stands.Replace(line))
	}
}

// line replays one line: keys, a command or a request to type, something left
// out, or else what the screen is to show.
func (r *replay) line(d *desk, line string) {
	r.t.Helper()
	command, isCommand := strings.CutPrefix(line, prompt)
	switch {
	case line == "": // No screen's do count.
		return
	case line == "…":
		d.left = true
		return
	case line == "^D":
		d.press("\x04") // which shows nothing
		return
	case line == "^C":
		d.press("\x03")
		r.await(d, "^C", func() bool { return strings.Contains(d.screen, "^C") })
		d.screen = strings.Replace(d.screen, "^C", "", 1) // has no line of its own
		return
	case isCommand:
		r.prompt(d)
		d.patience = patience
		if strings.HasPrefix(command, "go ") {
			d.patience = building
		}
		d.press(command + "\n")
	case isRequest(line):
		d.press(line + "\n")
	}
	r.expect(d, line)
}

// expect waits for a line. A note, which does not end, stays on the screen.
func (r *replay) expect(d *desk, want string) {
	r.t.Helper()
	r.await(d, want, func() bool {
		if isNote(want) && match(want, d.unfinished()) {
			return true
		}
		return r.past(d, want, func(shown string) bool { return match(want, shown) && r.fences.agree(want, shown) })
	})
	d.left = false
}

// prompt waits until the program at a terminal has ended.
func (r *replay) prompt(d *desk) {
	r.t.Helper()
	r.await(d, "a prompt", func() bool {
		return r.past(d, "a prompt", func(string) bool { return false }) || d.unfinished() == prompt
	})
	d.left = false
}

// past takes lines off the screen to the first that is wanted. Other ones are
// an error, unless the page leaves some out.
func (r *replay) past(d *desk, want string, wanted func(string) bool) bool {
	r.t.Helper()
	for {
		shown, ok := d.line()
		switch {
		case !ok:
			return false
		case wanted(shown):
			return true
		case !d.left:
			r.t.Fatalf("README.md:%d: the screen shows %q, want %q", d.at, shown, want)
		}
	}
}

// await waits until the screen is as it should be.
func (r *replay) await(d *desk, want string, done func() bool) {
	r.t.Helper()
	timer := time.NewTimer(d.patience)
	defer timer.Stop()
	for !done() {
		if !d.more(timer.C) {
			r.t.Fatalf("README.md:%d: the screen shows %q, want %q", d.at, d.unfinished(), want)
		}
	}
}

// end waits until every program has ended: the page leaves nothing running.
func (r *replay) end() {
	r.t.Helper()
	for _, d := range r.terminals {
		r.prompt(d)
	}
}

// isNote reports whether a line is the note that lockside writes over and over
// while it waits.
func isNote(line string) bool { return strings.HasPrefix(line, "waiting for ") }

// isRequest reports whether a line is a request to the daemon, which the page
// shows in upper case.
func isRequest(line string) bool {
	verb, _, _ := strings.Cut(line, " ")
	is := func(v ipc.Verb) bool { return v.String() == verb }
	return slices.ContainsFunc(ipc.Verbs(), is)
}
