// Package transcript reads the example conversations of a protocol document
// and replays them, so that the document stays true.
//
// A transcript is a fenced block of Markdown whose info string is
// "transcript". Each of its lines is one line that the client sends or that it
// reads:
//
//	C: LOCK nightly
//	S: OK fence=<fence> cluster=<hex> lease=<hex> ttl=15s until=<duration> key=lockside/nightly/<key>
//
// C1, S1, C2 and so on tell several connections apart. What a client sends may
// be <eof> (it closes the connection), <shutdown> (it ends its writing side)
// or <long line> (it sends more than a line may have); what it reads may be
// <eof>. [Match] says what stands for text that differs each time.
package transcript

import (
	"fmt"
	"strings"
)

// A Transcript is one conversation of a document.
type Transcript struct {
	Name  string // the heading above it and, if there are several, a number
	Line  int    // where in the document it begins, counted from 1
	Steps []Step
}

// A Step is one line of a transcript.
type Step struct {
	Line     int    // in the document, counted from 1
	Conn     string // which connection: "" if there is one, else its number
	FromPeer bool   // whether the client reads it, and does not send it
	Text     string // the line, or a pattern of it if it is read
}

// What is no line but happens to the connection, or cannot be written out.
const (
	endOfFile = "<eof>"
	shutdown  = "<shutdown>"
	longLine  = "<long line>"
)

const fence = "```"

// Parse finds the transcripts of a Markdown document. A line in one of them
// that is neither sent nor read is an error.
func Parse(document string) ([]Transcript, error) {
	p := &parser{count: make(map[string]int)}
	for text := range strings.Lines(document) {
		p.line++
		if err := p.parseLine(strings.TrimSuffix(text, "\n")); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	if p.block != "" {
		return nil, fmt.Errorf("line %d: the block is not closed", p.opened)
	}
	return p.found, nil
}

type parser struct {
	line    int
	heading string
	count   map[string]int // transcripts below a heading
	block   string         // the info string of the block we are in, "" outside
	opened  int            // the line where that block begins
	found   []Transcript
}

func (p *parser) parseLine(text string) error {
	info, isFence := strings.CutPrefix(text, fence)
	switch {
	case isFence && p.block == "":
		p.open(strings.TrimSpace(info))
	case isFence:
		p.block = ""
	case p.block == "transcript":
		return p.addStep(text)
	case p.block == "" && strings.HasPrefix(text, "#"):
		p.heading = strings.TrimSpace(strings.TrimLeft(text, "#"))
	}
	return nil
}

// open begins a block; one without an info string is a block too.
func (p *parser) open(info string) {
	p.block, p.opened = info, p.line
	if info == "" {
		p.block = "text"
	}
	if info != "transcript" {
		return
	}
	p.count[p.heading]++
	name := p.heading
	if n := p.count[name]; n > 1 {
		name = fmt.Sprintf("%s %d", name, n)
	}
	p.found = append(p.found, Transcript{Name: name, Line: p.line})
}

func (p *parser) addStep(text string) error {
	side, text, ok := strings.Cut(text, ":")
	if !ok || side == "" || side[0] != 'C' && side[0] != 'S' || strings.Trim(side[1:], "0123456789") != "" {
		return fmt.Errorf("%q is neither sent (C:) nor read (S:)", side)
	}
	step := Step{Line: p.line, Conn: side[1:], FromPeer: side[0] == 'S', Text: strings.TrimPrefix(text, " ")}
	if err := step.check(); err != nil {
		return err
	}
	last := &p.found[len(p.found)-1]
	last.Steps = append(last.Steps, step)
	return nil
}

// check refuses a placeholder that nothing would ever match.
func (s *Step) check() error {
	switch s.Text {
	case endOfFile:
		return nil
	case shutdown, longLine:
		if !s.FromPeer {
			return nil
		}
	}
	for _, span := range placeholders(s.Text) {
		name := s.Text[span[0]:span[1]]
		if s.FromPeer && shape(name) == "" || !s.FromPeer && name != fencePlaceholder {
			return fmt.Errorf("%s stands for nothing here", name)
		}
	}
	return nil
}
