package history

import "fmt"

func (c *Checker) asked(e Event) {
	cl := c.client(e.Client)
	if len(e.Names) == 0 || cl.ask != nil {
		c.senseless(e, e.Client+" asks for nothing, or while its last request is not answered")
		return
	}
	cl.host = e.Host
	cl.ask = &ask{event: e, names: e.Names}
}

func (c *Checker) refused(e Event) {
	cl := c.client(e.Client)
	if cl.ask == nil {
		c.senseless(e, e.Client+" is refused what it did not ask for")
	}
	cl.ask = nil
}

// granted looks at each name of a grant.
func (c *Checker) granted(e Event) {
	cl := c.client(e.Client)
	a := cl.ask
	if a == nil || len(e.Names) == 0 || fmt.Sprint(e.Names) != fmt.Sprint(a.names) {
		c.senseless(e, e.Client+" is granted what it did not ask for")
		return
	}
	cl.ask = nil
	h := &holding{client: cl, event: e, names: e.Names, stopped: a.stopped}
	cl.holds = append(cl.holds, h)
	for _, of := range e.Names {
		n := c.name(of)
		over := a.over || c.removed.has(of, e)
		c.checkFence(n, e, over || a.stopped)
		if !over {
			c.enter(n, h)
		}
	}
}

// checkFence compares a grant's fence with those before. One that was over
// before it was read may have been overtaken, but it is no other's.
func (c *Checker) checkFence(n *name, e Event, overtaken bool) {
	before, twice := n.fences.add(e.Fence, e.Client)
	switch {
	case twice:
		c.violate(Twice, n, "%s is granted fence %d, which %s was granted before", e.Client, e.Fence, before)
	case e.Fence <= n.last.Fence && !overtaken:
		c.violate(NotRising, n, "%s is granted fence %d after %s was granted %d", e.Client, e.Fence, n.last.Client, n.last.Fence)
	}
	if e.Fence > n.last.Fence {
		n.last = e
	}
}

// enter makes a holding one of those that have the name now.
func (c *Checker) enter(n *name, h *holding) {
	for _, other := range n.holders {
		switch {
		case h.stopped && other.stopped:
			h.rivals = append(h.rivals, rival{n, other.event, other})
			other.rivals = append(other.rivals, rival{n, h.event, h})
		case h.stopped:
			h.rivals = append(h.rivals, rival{n, other.event, nil})
		case other.stopped:
			other.rivals = append(other.rivals, rival{n, h.event, nil})
		default:
			c.violate(Overlap, n, "%s is granted fence %d while %s holds it with %d", h.client.id, h.event.Fence, other.client.id, other.event.Fence)
		}
	}
	n.holders = append(n.holders, h)
}

// convict reports all that were granted what a stopped client had after all. Of
// two that were stopped the second one to be shown to have had it does.
func (c *Checker) convict(h *holding) {
	h.proved = true
	for _, r := range h.rivals {
		if r.other != nil && !r.other.proved {
			continue
		}
		c.violate(Overlap, r.name, "%s, which was stopped, held it with fence %d while another did: %s", h.client.id, h.event.Fence, r.event)
	}
	h.rivals = nil
}
