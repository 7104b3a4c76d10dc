package daemon

import (
	"os"
	"slices"
	"time"

	"lockside/ipc"
	"lockside/leases"
	"lockside/leases/core"
	"lockside/leases/etcd"
)

// status answers STATUS from what the daemon knows.
func (n *session) status() {
	st := n.server.locks.Status()
	n.reply(n.server.appendDaemon(n.out))
	n.reply(n.server.appendStore(n.out, st))
	for _, l := range st.Locks.Leases {
		if l.TTL != 0 { // it is granted
			n.reply(appendLease(n.out, l))
		}
	}
	n.reply(appendCounts(n.out, st.Locks))
	n.ok()
}

func (s *server) appendDaemon(out []byte) []byte {
	out = ipc.AppendString(ipc.AppendData(out), "about", "daemon")
	out = ipc.AppendString(out, "version", s.version)
	out = ipc.AppendString(out, "host", s.cfg.Host)
	out = ipc.AppendInt(out, "pid", int64(os.Getpid()))
	out = ipc.AppendDuration(out, "uptime", time.Since(s.started))
	return ipc.AppendEnd(ipc.AppendInt(out, "draining", bit(s.draining.Load())))
}

// appendStore writes what holds the locks and how it is.
func (s *server) appendStore(out []byte, st leases.Status) []byte {
	store := "etcd"
	if s.cfg.Embedded {
		store = "embedded"
	}
	out = ipc.AppendString(ipc.AppendData(out), "about", "store")
	out = ipc.AppendString(out, "store", store)
	objection := s.objection()
	out = ipc.AppendString(out, "health", health(st, objection))
	now := etcd.Memory{ClusterID: st.Store.ClusterID, Revision: st.Store.Revision}
	if st.Store.Regressed != nil {
		now = st.Store.Present
	}
	if now.ClusterID != 0 {
		out = ipc.AppendHex(out, "cluster", int64(now.ClusterID))
		out = ipc.AppendInt(out, "revision", now.Revision)
	}
	for _, e := range st.Store.Endpoints {
		if e.Healthy {
			out = ipc.AppendString(out, "endpoint", e.URL)
			break
		}
	}
	if st.Store.Regressed != nil {
		out = ipc.AppendInt(out, "remembered", st.Store.Revision)
		out = ipc.AppendText(out, leases.GoneBack)
	} else if objection != "" {
		out = ipc.AppendText(out, objection)
	}
	return ipc.AppendEnd(out)
}

// health is one word for the store: regressed until an operator accepts it, refused
// while etcd has an objection to what we ask, unavailable while no member answers.
func health(st leases.Status, objection string) string {
	switch {
	case st.Store.Regressed != nil:
		return "regressed"
	case objection != "":
		return "refused"
	case slices.ContainsFunc(st.Store.Endpoints, func(e etcd.EndpointStatus) bool { return e.Healthy }):
		return "ok"
	}
	return "unavailable"
}

func appendLease(out []byte, l core.LeaseStatus) []byte {
	out = ipc.AppendString(ipc.AppendData(out), "about", "lease")
	out = ipc.AppendHex(out, "lease", l.Lease)
	out = ipc.AppendDuration(out, "ttl", l.TTL)
	out = ipc.AppendDuration(out, "left", l.Left)
	return ipc.AppendEnd(ipc.AppendInt(out, "entries", int64(l.Entries)))
}

func appendCounts(out []byte, st core.Status) []byte {
	out = ipc.AppendString(ipc.AppendData(out), "about", "counts")
	out = ipc.AppendInt(out, "sessions", int64(st.Sessions))
	out = ipc.AppendInt(out, "held", int64(st.Held))
	return ipc.AppendEnd(ipc.AppendInt(out, "waiting", int64(st.Waiting)))
}

func bit(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}
