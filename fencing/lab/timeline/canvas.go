package timeline

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

// fontSize and all other sizes are in pixels.
const fontSize = 12

// A face tells how wide texts are.
type face struct{ sans font.Face }

// newFace is of Liberation Sans, which is as wide as Arial and Helvetica.
func newFace() face {
	fonts := font.NewCache(liberation.Collection())
	return face{fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, fontSize)}
}

// width is how much room a text needs, with some to spare for viewers that have
// a wider font.
func (f face) width(text string, bold bool) int {
	width := f.sans.Width(text).Points() * 1.15
	if bold {
		width *= 1.1
	}
	return int(width) + 1
}

// A canvas is the inside of an SVG file.
type canvas struct {
	face
	body  bytes.Buffer
	boxes []box // of all texts
}

// A box is the room that a text takes.
type box struct {
	left, top, right, bottom int
	text                     string
}

func (c *canvas) rect(x, y, width, height int, style string) {
	fmt.Fprintf(&c.body, `<rect x="%d" y="%d" width="%d" height="%d" %s/>`+"\n", x, y, width, height, style)
}

func (c *canvas) line(x1, y1, x2, y2 int, style string) {
	fmt.Fprintf(&c.body, `<line x1="%d" y1="%d" x2="%d" y2="%d" %s/>`+"\n", x1, y1, x2, y2, style)
}

// shape draws a path around a point.
func (c *canvas) shape(x, y int, path, style string) {
	fmt.Fprintf(&c.body, `<path transform="translate(%d %d)" d="%s" %s/>`+"\n", x, y, path, style)
}

// text writes from x on, on the base line y, and returns where it ends.
func (c *canvas) text(x, y int, text, color string, bold bool) int {
	weight := ""
	if bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&c.body, `<text x="%d" y="%d" fill="%s"%s>%s</text>`+"\n", x, y, color, weight, escape(text))
	end := x + c.width(text, bold)
	c.boxes = append(c.boxes, box{x, y - fontSize + 1, end, y + 3, text})
	return end
}

func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}
