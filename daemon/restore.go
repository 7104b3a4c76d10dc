package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"lockside/ipc"
	"lockside/leases"
)

// restoreTime bounds what one ACCEPT-RESTORE may take: a client that raises
// revisions asks again.
const restoreTime = 10 * time.Second

// errAccepted ends the serving of one server: another goes on from what was
// accepted. Nothing of the first survives, as if the daemon had been restarted.
var errAccepted = errors.New("restore accepted")

// mayAccept reports whether a user may accept a restore: one that could as well stop
// the daemon, whose user is own, and change its state directory.
func mayAccept(user uint32, own int) bool { return user == 0 || int(user) == own }

// acceptRestore has the daemon go on from etcd as it is now (P8).
func (n *session) acceptRestore(r *ipc.Request) {
	if !mayAccept(n.peer.UID, os.Geteuid()) {
		n.refuse(ipc.ErrDenied.WithText("only root and the daemon's own user may accept a restore"))
		return
	}
	ctx, cancel := context.WithTimeout(n.server.life, restoreTime)
	defer cancel()
	how := leases.Acceptance{Raise: r.Raise, LowerFences: r.LowerFences}
	restored, err := n.server.locks.AcceptRestore(ctx, how)
	if err != nil {
		n.refuse(n.explain(err))
		return
	}
	if restored == (leases.Restored{}) {
		n.counted("accepted", 0)
		return
	}
	out := ipc.AppendInt(ipc.AppendOK(n.out), "accepted", 1)
	out = ipc.AppendHex(out, "cluster", int64(restored.Cluster))
	out = ipc.AppendInt(out, "revision", restored.Revision)
	n.reply(ipc.AppendEnd(ipc.AppendInt(out, "remembered", restored.Remembered)))
	n.flush()
	n.locks.End() // it has ended by itself when the others are lost
	n.server.beginAnew()
	n.over = true
}
