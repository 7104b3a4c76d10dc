package history

import (
	"maps"
	"slices"
)

// A name is what is known of one.
type name struct {
	name    string
	holders []*holding // who have it now; more than one is a violation
	last    Event      // the grant with the greatest fence
	fences  fences     // granted lately
	writes  []Event    // accepted, each with a greater fence than those before
	ops     ops

	recent []Event      // to show
	open   []*Violation // whose next events are still to come
}

func (c *Checker) name(of string) *name {
	n := c.names[of]
	if n == nil {
		n = &name{name: of, fences: newFences()}
		c.names[of] = n
	}
	return n
}

// show keeps an event to be shown with violations.
func (n *name) show(e Event) {
	if len(n.recent) == eventsBefore {
		n.recent = slices.Delete(n.recent, 0, 1)
	}
	n.recent = append(n.recent, e)
	for _, v := range n.open {
		v.After = append(v.After, e)
	}
	n.open = slices.DeleteFunc(n.open, func(v *Violation) bool { return len(v.After) >= eventsAfter })
}

// shown are the last events, with that which is looked at as the last one.
func (n *name) shown() []Event { return slices.Clone(n.recent) }

// leave takes a holding out of those that have the name now.
func (n *name) leave(h *holding) {
	n.holders = slices.DeleteFunc(n.holders, func(other *holding) bool { return other == h })
}

// concerned are the names that an event is about.
func (c *Checker) concerned(e Event) []string {
	if len(e.Names) > 0 {
		return e.Names
	}
	all := map[string]bool{}
	for _, client := range c.clients {
		for _, name := range client.names(e) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// sorted are the values of a map in the order of their keys.
func sorted[V any](m map[string]V) []V {
	all := make([]V, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		all = append(all, m[key])
	}
	return all
}
