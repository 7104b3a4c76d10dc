package daemon

import (
	"errors"

	"lockside/ipc"
	"lockside/leases"
)

// codes pairs each error of the locks' side with what a client is told. The
// texts of these errors are for users as they stand; what they wrap is not.
func codes() []struct{ from, to error } {
	return []struct{ from, to error }{
		{leases.ErrBusy, ipc.ErrBusy},
		{leases.ErrTimeout, ipc.ErrTimeout},
		{leases.ErrCancelled, ipc.ErrCancelled},
		{leases.ErrHeld, ipc.ErrHeld},
		{leases.ErrNotHeld, ipc.ErrNotHeld},
		{leases.ErrOrder, ipc.ErrOrder},
		{leases.ErrLimit, ipc.ErrLimit},
		{leases.ErrUnavailable, ipc.ErrUnavailable},
		{leases.ErrRegressed, ipc.ErrRegressed},
		{leases.ErrDraining, ipc.ErrDraining},
	}
}

// unavailable is told when etcd does not serve us, and why not if it has an objection.
func unavailable(objection string) error {
	if objection == "" {
		return ipc.ErrUnavailable
	}
	return ipc.ErrUnavailable.WithText("etcd does not serve this host: %s", objection)
}

// explain turns an error into one for the client. Causes from etcd, which may
// hold addresses and keys, go to the log alone.
func (n *session) explain(err error) error {
	for _, c := range codes() {
		if !errors.Is(err, c.from) {
			continue
		}
		if errors.Is(err, leases.ErrUnavailable) {
			n.server.log.Debug("Request not served", "session", n.id, "error", err)
			return unavailable(n.server.objection())
		}
		if told, ok := errors.AsType[*ipc.Error](c.to); ok && err != c.from {
			return told.WithText("%v", err)
		}
		return c.to
	}
	n.server.log.Error("Request failed", "session", n.id, "error", err)
	return ipc.ErrInternal
}
