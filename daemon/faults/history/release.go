package history

func (c *Checker) unlocking(e Event) {
	h := c.client(e.Client).held(e.Names)
	if h == nil || len(e.Names) == 0 {
		c.senseless(e, e.Client+" releases what it does not hold")
		return
	}
	for _, of := range e.Names {
		c.name(of).leave(h)
	}
}

func (c *Checker) unlocked(e Event) {
	cl := c.client(e.Client)
	h := cl.held(e.Names)
	if h == nil || len(e.Names) == 0 {
		c.senseless(e, e.Client+" has released what it did not hold")
		return
	}
	c.convict(h)
	cl.drop(h, e.Names)
}
