package history

import "slices"

// A client is what is known of one.
type client struct {
	id    string
	host  string // of the daemon that it asked last
	ask   *ask   // not answered yet, or nil
	holds []*holding
}

// An ask is a request for names.
type ask struct {
	event   Event
	names   []string
	over    bool // a grant that is read from now on was over before
	stopped bool // it may be
}

// A holding is what one grant gave to a client.
type holding struct {
	client  *client
	event   Event // the grant
	names   []string
	stopped bool    // the client was stopped meanwhile, and may not have had it since
	proved  bool    // it had
	rivals  []rival // whose grants are a violation if it had
}

// A rival is a grant of one of the names to another.
type rival struct {
	name  *name
	event Event
	other *holding // which was stopped as well, and must have had it too, or nil
}

func (c *Checker) client(id string) *client {
	known := c.clients[id]
	if known == nil {
		known = &client{id: id}
		c.clients[id] = known
	}
	return known
}

// names are those of a client that an event without names is about.
func (cl *client) names(e Event) []string {
	var all []string
	for _, h := range cl.holds {
		if cl.meant(e) || e.Kind == Removing && e.Lease == h.event.Lease {
			all = append(all, h.names...)
		}
	}
	if cl.ask != nil && cl.meant(e) {
		all = append(all, cl.ask.names...)
	}
	return all
}

func (cl *client) meant(e Event) bool {
	return e.Client != "" && e.Client == cl.id || e.Kind == Gone && e.Host == cl.host
}

// held is what a client has that holds all the names.
func (cl *client) held(names []string) *holding {
	for _, h := range cl.holds {
		if !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(h.names, n) }) {
			return h
		}
	}
	return nil
}

// drop forgets names of a holding, and the holding with its last one.
func (cl *client) drop(h *holding, names []string) {
	h.names = slices.DeleteFunc(slices.Clone(h.names), func(n string) bool { return slices.Contains(names, n) })
	if len(h.names) == 0 {
		cl.holds = slices.DeleteFunc(cl.holds, func(other *holding) bool { return other == h })
	}
}
