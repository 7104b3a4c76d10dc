package timeline

import (
	"fmt"
	"io"
	"strings"
)

// Where things are.
const (
	margin     = 14
	left       = 112 // where time begins
	room       = 800 // how wide it is, unless there is more to show
	rowHeight  = 16  // of labels
	barHeight  = 26
	laneApart  = 22
	arrowReach = 46 // from a client to the resource
)

// SVG draws one picture: a lane for each client, for the lock service and for the
// resource, and time to the right. Events may come in any order; each must be in
// one of [Lanes], and none before the story begins. The same events give the same
// bytes.
func SVG(w io.Writer, title string, events []Event) error {
	p, err := draw(title, events)
	if err == nil {
		err = p.write(w, title)
	}
	if err != nil {
		return fmt.Errorf("draw %q: %w", title, err)
	}
	return nil
}

// A picture is a story with a place for everything.
type picture struct {
	canvas
	*story
	axis
	labels map[Lane][]label
	rows   map[Lane]int
	top    map[Lane]int // of the lane's bar, below or above its labels
	height map[Lane]int // of the bar
	width  int
	bottom int
}

func draw(title string, events []Event) (*picture, error) {
	s, err := tell(events)
	if err != nil {
		return nil, err
	}
	p := &picture{
		canvas: canvas{face: newFace()}, story: s, axis: newAxis(s.events, left, room),
		labels: map[Lane][]label{}, rows: map[Lane]int{}, top: map[Lane]int{}, height: map[Lane]int{},
	}
	p.width = p.event(len(p.events)) + apart + margin
	p.label()
	p.layOut()
	p.text(margin, 24, title, ink, true)
	p.drawBoth()
	p.drawAxis()
	for _, lane := range Lanes() {
		p.drawLane(lane)
	}
	p.drawArrows()
	p.drawLegend()
	return p, nil
}

// layOut gives each lane as much height as its labels need.
func (p *picture) layOut() {
	y := 34
	for _, lane := range Lanes() {
		p.rows[lane] = place(p.labels[lane], p.face)
		p.height[lane] = barHeight
		labels := p.rows[lane] * rowHeight
		switch lane {
		case Service, ClientA:
			y += labels
			p.top[lane] = y
			y += barHeight + laneApart
		case Resource:
			y += arrowReach - laneApart
			p.top[lane], p.height[lane] = y, max(barHeight, labels+8)
			y += p.height[lane] + arrowReach
		case ClientB:
			p.top[lane] = y
			y += barHeight + labels + laneApart
		}
	}
	p.bottom = y
	for _, lane := range Lanes() {
		for _, l := range p.labels[lane] {
			p.width = max(p.width, l.x+p.face.width(l.text, l.bold)+margin)
		}
	}
}

// right is where the lanes end.
func (p *picture) right() int { return p.width - margin }

// where is where a span begins and ends.
func (p *picture) where(s span) (from, to int) {
	if s.open(len(p.events)) {
		return p.event(s.from), p.right()
	}
	return p.event(s.from), p.event(s.to)
}

func (p *picture) write(w io.Writer, title string) error {
	height := p.bottom + margin
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="Arial, Helvetica, 'Liberation Sans', sans-serif" font-size="%d">
<title>%s</title>
<desc>%s</desc>
<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="7" height="7" fill="#fff" fill-opacity=".6"/><rect width="2" height="7" fill="%s" fill-opacity=".6"/></pattern></defs>
<rect width="%d" height="%d" fill="#fff"/>
%s</svg>
`, p.width, height, p.width, height, fontSize, escape(title), escape(p.words()), ink, p.width, height, p.body.Bytes())
	return err
}

// words tell the story to those who do not see it.
func (p *picture) words() string {
	var all strings.Builder
	for i, e := range p.events {
		fmt.Fprintf(&all, "%.3f s, %s: %s", e.At.Seconds(), e.Lane, e.caption())
		if gone, ok := p.lost[i]; ok {
			fmt.Fprintf(&all, "; %s", lostText(gone))
		}
		all.WriteString(".\n")
	}
	return all.String()
}

func lostText(gone Lane) string { return "lost update: the write of " + string(gone) + " is gone" }
