package timeline

import "slices"

// drawArrows draws what the clients do to the resource.
func (p *picture) drawArrows() {
	for i, e := range p.events {
		if e.Lane != ClientA && e.Lane != ClientB {
			continue
		}
		// Down is 1 when the resource is below the client.
		down, from, to := 1, p.top[ClientA]+barHeight, p.top[Resource]
		if e.Lane == ClientB {
			down, from, to = -1, p.top[ClientB], p.top[Resource]+p.height[Resource]
		}
		p.arrow(e.Kind, p.event(i), from, to, down, e.Lane.paint().strong)
		if _, ok := p.lost[i]; ok {
			p.lostSign(p.event(i), to-11*down)
		}
	}
	for i, e := range p.events {
		if e.Kind == Strike {
			p.strikeSign(p.event(i), p.top[e.Lane]+p.height[e.Lane]/2)
		}
	}
}

// arrow draws one act: what is read comes to the client, and what is written
// goes to the resource, unless it refuses.
func (p *picture) arrow(kind Kind, x, from, to, down int, color string) {
	solid := `stroke="` + color + `" stroke-width="2"`
	switch kind {
	case Read:
		p.line(x, from+5*down, x, to, `stroke="`+color+`" stroke-width="1.5" stroke-dasharray="4 3"`)
		p.head(x, from, -down, `fill="#fff" stroke="`+color+`" stroke-width="1.5"`)
	case Write:
		p.line(x, from, x, to-6*down, solid)
		p.head(x, to, down, `fill="`+color+`"`)
	case Claim:
		p.line(x, from, x, to-2*down, `stroke="`+color+`" stroke-width="1.5"`)
		p.line(x-5, to-2*down, x+5, to-2*down, `stroke="`+color+`" stroke-width="3"`)
	case Refused:
		p.line(x, from, x, to-16*down, `stroke="`+refused+`" stroke-width="2"`)
		p.refusedSign(x, to-9*down)
	}
}

// head draws the point of an arrow.
func (p *picture) head(x, y, down int, style string) {
	path := "M0 0L-5 -10L5 -10Z"
	if down < 0 {
		path = "M0 0L-5 10L5 10Z"
	}
	p.shape(x, y, path, style)
}

func (p *picture) refusedSign(x, y int) {
	p.shape(x, y, "M-7 0a7 7 0 1 0 14 0a7 7 0 1 0 -14 0M-5 5L5 -5", `fill="#fff" stroke="`+refused+`" stroke-width="2.5"`)
}

func (p *picture) lostSign(x, y int) {
	p.shape(x, y, "M0 -10L10 8L-10 8Z", `fill="`+lostInk+`" stroke="#fff"`)
	p.shape(x, y, "M0 -4L0 2M0 4L0 6", `stroke="#fff" stroke-width="2"`)
}

func (p *picture) strikeSign(x, y int) {
	p.shape(x, y, "M3 -14L-7 2L-1 2L-3 14L7 -3L1 -3Z", `fill="#ffc400" stroke="`+cutInk+`"`)
}

// A key is an entry of the legend: 30 pixels of drawing, and words.
type key struct {
	shown bool
	text  string
	draw  func(x, y int)
}

func (p *picture) keys() []key {
	arrow := func(kind Kind) func(x, y int) {
		return func(x, y int) { p.arrow(kind, x+15, y-11, y+11, 1, ink) }
	}
	block := func(style string) func(x, y int) {
		return func(x, y int) { p.rect(x, y-8, 28, 16, style) }
	}
	return []key{
		{len(p.waits) > 0, "waits for the lock", func(x, y int) { p.rect(x, y-5, 28, 10, `fill="#fff" stroke="`+ink+`" stroke-dasharray="3 2"`) }},
		{len(p.holds) > 0, "believes that it holds the lock", block(`fill="#ddd" stroke="` + ink + `" stroke-width="1.5"`)},
		{len(p.both) > 0, "both believe it", block(`fill="#ffe3d6"`)},
		{len(p.cuts) > 0, "paused or cut off", block(`fill="url(#hatch)" stroke="` + ink + `"`)},
		{p.has(Strike), "fault", func(x, y int) { p.strikeSign(x+15, y) }},
		{p.has(Claim), "claim: older fences are refused from now on", arrow(Claim)},
		{p.has(Read), "read", arrow(Read)},
		{p.has(Write), "write", arrow(Write)},
		{p.has(Refused), "refused, as the fence is stale", func(x, y int) { p.refusedSign(x+15, y) }},
		{len(p.lost) > 0, "lost update", func(x, y int) { p.lostSign(x+15, y) }},
		{true, "time is stretched where much happens at once", p.stretched},
	}
}

// stretched draws a piece of an axis with steps of several widths.
func (p *picture) stretched(x, y int) {
	p.line(x, y, x+28, y, `stroke="`+ink+`"`)
	for _, at := range []int{1, 5, 9, 23, 27} {
		p.line(x+at, y, x+at, y+5, `stroke="`+ink+`"`)
	}
}

func (p *picture) has(kind Kind) bool {
	return slices.ContainsFunc(p.events, func(e Event) bool { return e.Kind == kind })
}

// drawLegend explains the signs that are there, in as many lines as it takes.
func (p *picture) drawLegend() {
	x, y := margin, p.bottom+22
	for _, k := range p.keys() {
		if !k.shown {
			continue
		}
		width := 34 + p.face.width(k.text, false)
		if x > margin && x+width > p.width-margin {
			x, y = margin, y+26
		}
		k.draw(x, y)
		x = p.text(x+34, y+4, k.text, ink, false) + 18
	}
	p.bottom = y + 14
}
