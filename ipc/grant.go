package ipc

import "time"

// A Grant is the reply to a LOCK that was granted.
type Grant struct {
	// Fence is the create revision of the entries: one for all names.
	Fence int64

	// Cluster is the id of the etcd cluster whose revision the fence is; zero if
	// it was not told. Fences of different clusters do not compare.
	Cluster uint64

	// Lease is the etcd lease that the entries hang on.
	Lease int64

	// TTL is what etcd granted for the lease, which may be more than was
	// asked for.
	TTL time.Duration

	// Until is the moment, on the daemon's CLOCK_BOOTTIME, until which the
	// lock is safe if etcd is never heard of again; zero if it was not told.
	Until time.Duration

	// Names are the names in the order of the request, and Keys the keys of
	// their entries in etcd, for a guard that compares create revisions.
	Names, Keys []string
}

// AppendGrant writes the reply to a LOCK. The key of a single name is a field
// of the OK line. Several keys could exceed a line, so each of several names
// has a line of its own before it.
func AppendGrant(dst []byte, g *Grant) []byte {
	if len(g.Names) > 1 {
		for i, name := range g.Names {
			dst = AppendString(AppendData(dst), "name", name)
			dst = AppendEnd(AppendString(dst, "key", g.Keys[i]))
		}
	}
	dst = AppendInt(AppendOK(dst), "fence", g.Fence)
	if g.Cluster != 0 {
		dst = AppendHex(dst, "cluster", int64(g.Cluster))
	}
	dst = AppendHex(dst, "lease", g.Lease)
	dst = AppendDuration(dst, "ttl", g.TTL)
	if g.Until != 0 {
		dst = AppendDuration(dst, "until", g.Until)
	}
	if len(g.Names) == 1 {
		dst = AppendString(dst, "key", g.Keys[0])
	}
	return AppendEnd(dst)
}

// parseGrant reads the reply to a LOCK of these names.
func parseGrant(names []string, replies []Reply) (*Grant, error) {
	last := replies[len(replies)-1].Fields
	g := &Grant{
		Fence:   last.Int("fence"),
		Cluster: uint64(last.Hex("cluster")),
		Lease:   last.Hex("lease"),
		TTL:     last.Duration("ttl"),
		Until:   last.Duration("until"),
		Names:   names,
	}
	if len(names) == 1 {
		g.Keys = []string{last.Get("key")}
	} else {
		for _, line := range replies[:len(replies)-1] {
			g.Keys = append(g.Keys, line.Fields.Get("key"))
		}
	}
	if g.Fence <= 0 || len(g.Keys) != len(names) {
		return nil, malformed(replies[len(replies)-1].Append(nil))
	}
	return g, nil
}
