package history

// session takes what concerns a client's session as a whole. With names, a loss
// or a closing is of the session that holds them, of several that one client
// has.
func (c *Checker) session(e Event) {
	cl := c.client(e.Client)
	switch e.Kind {
	case Stopped:
		for _, h := range cl.holds {
			h.stopped = true
		}
		if cl.ask != nil {
			cl.ask.stopped = true
		}
	case Cut:
		for _, h := range cl.holds {
			c.convict(h)
			c.leaveAll(h)
		}
		if cl.ask != nil {
			cl.ask.over = true
		}
	default:
		c.end(cl, e)
	}
}

// end ends what a client has, and what it waits for.
func (c *Checker) end(cl *client, e Event) {
	if len(e.Names) > 0 {
		h := cl.held(e.Names)
		if h == nil {
			c.senseless(e, e.Client+" loses or closes what it does not hold")
			return
		}
		c.leaveAll(h)
		cl.drop(h, h.names)
		return
	}
	for _, h := range cl.holds {
		c.leaveAll(h)
	}
	cl.holds, cl.ask = nil, nil
	if e.Kind == Killed {
		delete(c.clients, cl.id)
	}
}

// leaveAll ends a holding, as far as others may be granted its names now.
func (c *Checker) leaveAll(h *holding) {
	for _, of := range h.names {
		c.name(of).leave(h)
	}
}

// gone ends what the clients of a daemon hold, although they may not have read
// it.
func (c *Checker) gone(e Event) {
	for _, cl := range c.clients {
		if cl.host != e.Host {
			continue
		}
		for _, h := range cl.holds {
			c.leaveAll(h)
		}
		if cl.ask != nil {
			cl.ask.over = true
		}
	}
}
