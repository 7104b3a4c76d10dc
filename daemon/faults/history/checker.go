package history

import "fmt"

// A Checker takes a history event by event. It is for one goroutine.
type Checker struct {
	names   map[string]*name
	clients map[string]*client
	removed removed

	events     int
	violations []*Violation // the first of them
	broken     int          // how many there were
}

// maxViolations is how many violations are kept; all are counted.
const maxViolations = 100

// NewChecker makes a checker that has seen nothing.
func NewChecker() *Checker {
	return &Checker{names: map[string]*name{}, clients: map[string]*client{}, removed: newRemoved()}
}

// Check checks a whole history, in the order of its moments.
func Check(events []Event) []Violation {
	c := NewChecker()
	for _, e := range events {
		c.Add(e)
	}
	c.End()
	return c.Violations()
}

// Add takes the next event. Its moment is not before that of the last one.
func (c *Checker) Add(e Event) {
	c.events++
	for _, n := range c.concerned(e) {
		c.name(n).show(e)
	}
	switch e.Kind {
	case Asked:
		c.asked(e)
	case Granted:
		c.granted(e)
	case Refused:
		c.refused(e)
	case Unlocking:
		c.unlocking(e)
	case Unlocked:
		c.unlocked(e)
	case Wrote, Read:
		c.used(e)
	case Gone:
		c.gone(e)
	case Removing:
		c.removing(e)
	case Lost, Closing, Killed, Stopped, Cut:
		c.session(e)
	default:
		c.senseless(e, fmt.Sprintf("there is no kind %q", e.Kind))
	}
}

// End closes the history: whoever waits still was not served.
func (c *Checker) End() {
	for _, client := range sorted(c.clients) {
		if a := client.ask; a != nil {
			c.violate(Unserved, c.name(a.names[0]), "%s waits at the end of the history, since %s", client.id, a.event)
		}
	}
	for _, n := range sorted(c.names) {
		c.settle(n, forever)
	}
}

// Violations are what was found, the first hundred.
func (c *Checker) Violations() []Violation {
	all := make([]Violation, 0, len(c.violations))
	for _, v := range c.violations {
		all = append(all, *v)
	}
	return all
}

// Broken is how many violations were found.
func (c *Checker) Broken() int { return c.broken }

// Events is how many events were taken.
func (c *Checker) Events() int { return c.events }

// violate notes a violation, with the last event of the name as the one that
// shows it.
func (c *Checker) violate(rule Rule, n *name, format string, args ...any) {
	c.keep(n, &Violation{Rule: rule, Name: n.name, Text: fmt.Sprintf(format, args...), Before: n.shown()})
}

func (c *Checker) keep(n *name, v *Violation) {
	c.broken++
	if len(c.violations) < maxViolations {
		c.violations = append(c.violations, v)
		if v.After == nil {
			n.open = append(n.open, v)
		}
	}
}

// senseless notes an event that cannot be.
func (c *Checker) senseless(e Event, why string) {
	name := ""
	if len(e.Names) > 0 {
		name = e.Names[0]
	}
	n := c.name(name)
	if name == "" {
		n.show(e)
	}
	c.violate(Senseless, n, "%s", why)
}
