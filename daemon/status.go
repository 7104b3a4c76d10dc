package daemon

import (
	"os"

	"lockside/ipc"
	"lockside/leases"
	"lockside/leases/core"
)

// appendStore writes what holds the locks and how it is.
func (s *server) appendStore(out []byte, st leases.Status) []byte {
	store := "etcd"
	if s.cfg.Embedded {
		store = "embedded"
	}
	out = ipc.AppendString(ipc.AppendData(out), "about", "store")
	out = ipc.AppendString(out, "store", store)
	out = ipc.AppendString(out, "health", health(st))
	if st.Store.ClusterID != 0 {
		out = ipc.AppendHex(out, "cluster", int64(st.Store.ClusterID))
		out = ipc.AppendInt(out, "revision", st.Store.Revision)
	}
	for _, e := range st.Store.Endpoints {
		if e.Healthy {
			out = ipc.AppendString(out, "endpoint", e.URL)
			break
		}
	}
	return ipc.AppendEnd(out)
}

// health is one word for the store: regressed until an operator accepts it,
// unavailable while no member answers.
func health(st leases.Status) string {
	if st.Store.Regressed != nil {
		return "regressed"
	}
	for _, e := range st.Store.Endpoints {
		if e.Healthy {
			return "ok"
		}
	}
	return "unavailable"
}

func appendCounts(out []byte, st core.Status) []byte {
	out = ipc.AppendString(ipc.AppendData(out), "about", "counts")
	out = ipc.AppendInt(out, "sessions", int64(st.Sessions))
	out = ipc.AppendInt(out, "held", int64(st.Held))
	out = ipc.AppendEnd(ipc.AppendInt(out, "waiting", int64(st.Waiting)))
	return ipc.AppendEnd(ipc.AppendOK(out))
}

func pid() int { return os.Getpid() }

func bit(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}
