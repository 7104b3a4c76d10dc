package timeline

import "slices"

// The colours. None of them is the only sign of anything.
const (
	ink     = "#222"
	cutInk  = "#8a5a00"
	refused = "#6a2fa0"
	lostInk = "#c00020"
)

// A paint is what a client is drawn with.
type paint struct{ strong, pale string }

func (l Lane) paint() paint {
	switch l {
	case ClientA:
		return paint{"#0060a8", "#b9d9f2"}
	case ClientB:
		return paint{"#00785a", "#b5e3d4"}
	}
	return paint{ink, "#eee"}
}

// label gives each event its caption.
func (p *picture) label() {
	for i, e := range p.events {
		l := label{x: p.event(i), text: shorten(e.caption()), color: e.Lane.paint().strong}
		switch e.Kind {
		case Refused:
			l.color, l.bold = refused, true
		case Strike, Heal:
			l.color, l.bold = cutInk, e.Kind == Strike
		case Grant:
			if _, fits := p.inBar(i); fits {
				l.text = e.Kind.word()
			}
		}
		p.labels[e.Lane] = append(p.labels[e.Lane], l)
		if gone, ok := p.lost[i]; ok {
			p.labels[Resource] = append(p.labels[Resource], label{x: p.event(i), text: lostText(gone), color: lostInk, bold: true})
		}
	}
}

// inBar is where a grant's text has room in the bar, beside the sign of a strike.
func (p *picture) inBar(grant int) (x int, fits bool) {
	text := p.events[grant].Text
	at := slices.IndexFunc(p.holds, func(hold span) bool { return hold.from == grant })
	if text == "" || at < 0 {
		return 0, false
	}
	from, to := p.where(p.holds[at])
	x, width := from+6, p.face.width(text, true)
	for i, e := range p.events {
		if sign := p.event(i); e.Kind == Strike && e.Lane == p.holds[at].lane && from <= sign && sign-12 <= x+width {
			x = sign + 12
		}
	}
	return x, x+width <= to-6
}

// drawLane draws what lasts in a lane, and then its labels.
func (p *picture) drawLane(lane Lane) {
	top, height := p.top[lane], p.height[lane]
	p.text(margin, top+height/2+4, string(lane), lane.paint().strong, true)
	if lane == Service || lane == Resource {
		p.rect(left, top, p.right()-left, height, `fill="#f3f3f3" stroke="#bbb"`)
	} else {
		p.line(left, top+height/2, p.right(), top+height/2, `stroke="#bbb"`)
	}
	for _, wait := range p.waits {
		if wait.lane == lane {
			p.bar(wait, 8, `fill="#fff" stroke="`+lane.paint().strong+`" stroke-dasharray="3 2"`)
		}
	}
	for _, hold := range p.holds {
		if hold.lane == lane {
			p.bar(hold, 0, `fill="`+lane.paint().pale+`" stroke="`+lane.paint().strong+`" stroke-width="1.5"`)
		}
	}
	for _, cut := range p.cuts {
		if cut.lane == lane {
			p.bar(cut, 0, `fill="url(#hatch)" stroke="`+ink+`"`)
		}
	}
	p.drawFences(lane)
	p.drawLabels(lane)
}

// bar draws a span, by so much lower than the lane on both sides.
func (p *picture) bar(s span, inset int, style string) {
	from, to := p.where(s)
	p.rect(from, p.top[s.lane]+inset, to-from, p.height[s.lane]-2*inset, style)
}

// drawFences writes what a grant told into its bar, above any hatching.
func (p *picture) drawFences(lane Lane) {
	for _, hold := range p.holds {
		grant, y := p.events[hold.from], p.top[lane]+barHeight/2
		x, fits := p.inBar(hold.from)
		if hold.lane != lane || !fits {
			continue
		}
		p.rect(x-3, y-8, p.face.width(grant.Text, true)+5, 16, `rx="3" fill="`+lane.paint().pale+`"`)
		p.text(x, y+4, grant.Text, lane.paint().strong, true)
	}
}

// drawLabels writes the labels of a lane away from the resource, and those of the
// resource into its bar.
func (p *picture) drawLabels(lane Lane) {
	for _, l := range p.labels[lane] {
		edge, base := p.top[lane], p.top[lane]-4-l.row*rowHeight
		switch lane {
		case Resource:
			base = p.top[lane] + 16 + l.row*rowHeight
		case ClientB:
			edge = p.top[lane] + barHeight
			base = edge + 13 + l.row*rowHeight
		}
		p.line(l.x, edge, l.x, base, `stroke="`+l.color+`" stroke-opacity=".6"`)
		p.text(l.x+4, base, l.text, l.color, l.bold)
	}
}

// drawBoth shades the time in which both clients believe that they hold the lock.
func (p *picture) drawBoth() {
	for _, both := range p.both {
		from, to := p.where(both)
		p.rect(from, p.top[ClientA], to-from, p.top[ClientB]+barHeight-p.top[ClientA], `fill="#ffe3d6"`)
	}
}

// drawAxis writes seconds below everything.
func (p *picture) drawAxis() {
	y, free := p.bottom, 0
	p.line(p.moment(0), y, p.axis.end(), y, `stroke="`+ink+`"`)
	for _, t := range p.ticks() {
		p.line(t.x, y, t.x, y+5, `stroke="`+ink+`"`)
		width := p.face.width(t.text, false)
		if t.x-width/2 >= free {
			free = p.text(t.x-width/2, y+18, t.text, ink, false) + 6
		}
	}
	p.text(margin, y+18, "seconds", ink, false)
	p.bottom = y + 24
}
