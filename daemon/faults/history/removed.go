package history

// removed are the leases and entries that somebody has taken out of etcd, or
// tried to.
type removed struct {
	leases  map[int64]bool
	entries map[entry]bool
}

// An entry is one by its name and its fence, which is its create revision.
type entry struct {
	name  string
	fence int64
}

func newRemoved() removed {
	return removed{leases: map[int64]bool{}, entries: map[entry]bool{}}
}

// has reports whether a name of a grant may have been removed already.
func (r removed) has(name string, grant Event) bool {
	return r.entries[entry{name, grant.Fence}] || grant.Lease != 0 && r.leases[grant.Lease]
}

// removing ends what hangs on a lease, or on an entry, for others: the client is
// to be told, but they need not wait for that.
func (c *Checker) removing(e Event) {
	if e.Lease != 0 {
		c.removed.leases[e.Lease] = true
	}
	for _, of := range e.Names {
		c.removed.entries[entry{of, e.Fence}] = true
	}
	for _, cl := range c.clients {
		for _, h := range cl.holds {
			for _, of := range h.names {
				if c.removed.has(of, h.event) {
					c.name(of).leave(h)
				}
			}
		}
	}
}
