package timeline

// A label is a text on a line that leads to where it belongs. Its text begins
// at the line.
type label struct {
	x     int
	text  string
	color string
	bold  bool
	row   int
}

// place gives each label the row nearest to its lane in which it meets no other
// label and no line that leads to one, and returns how many rows there are.
// Labels come in the order of their x. The last one has the nearest row, and who
// is before it, and would run into its line, goes beyond it.
func place(labels []label, f face) (rows int) {
	for i := len(labels) - 1; i >= 0; i-- {
		end := labels[i].x + f.width(labels[i].text, labels[i].bold) + 8
		for _, next := range labels[i+1:] {
			if next.x < end {
				labels[i].row = max(labels[i].row, next.row+1)
			}
		}
		rows = max(rows, labels[i].row+1)
	}
	return rows
}

// word is what a kind is called in a label.
func (k Kind) word() string {
	switch k {
	case Acquire:
		return "asks"
	case Grant:
		return "granted"
	case Failed:
		return "not granted"
	case Told:
		return "told"
	case Release:
		return "releases"
	case Claim:
		return "claims"
	case Read:
		return "reads"
	case Write:
		return "writes"
	case Refused:
		return "refused"
	case Strike, Heal, Note:
		return ""
	}
	return string(k)
}

// longest is how many characters a label has at most.
const longest = 64

// shorten leaves out the end of a long text, which is in the picture's description.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return text
}

// caption is what is written for an event.
func (e Event) caption() string {
	word := e.Kind.word()
	switch {
	case e.Text == "" && word == "":
		return string(e.Kind)
	case e.Text == "":
		return word
	case word == "":
		return e.Text
	}
	return word + ": " + e.Text
}
