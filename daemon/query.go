package daemon

import (
	"context"

	"lockside/ipc"
	"lockside/leases"
)

// who lists a queue as etcd has it.
func (n *session) who(name string) {
	ctx, cancel := context.WithTimeout(n.server.life, queryTime)
	defer cancel()
	queue, err := n.server.locks.Who(ctx, name)
	if err != nil {
		n.refuse(n.explain(err))
		return
	}
	for i, e := range queue {
		n.reply(ipc.AppendEntry(n.out, shown("", role(i == 0), e.Fence, e.Value)))
	}
	n.counted("count", int64(len(queue)))
}

func (n *session) list(r *ipc.Request) {
	if r.Scope == ipc.ScopeCluster {
		n.listCluster(r.Glob)
		return
	}
	all := n.locks.List()
	if r.Scope == ipc.ScopeHost {
		all = n.server.locks.Sessions()
	}
	count := int64(0)
	for _, l := range all {
		if ipc.MatchGlob(r.Glob, l.Name) {
			count++
			n.reply(ipc.AppendEntry(n.out, shown(l.Name, role(!l.Waiting), l.Fence, l.Value)))
		}
	}
	n.counted("count", count)
}

// listCluster lists entries page by page as etcd gives them. An error comes
// after what was listed, as the reply's last line.
func (n *session) listCluster(glob string) {
	ctx, cancel := context.WithTimeout(n.server.life, queryTime)
	defer cancel()
	count, last := int64(0), ""
	err := n.server.locks.Cluster(ctx, func(e leases.Entry) bool {
		first := count == 0 || e.Name != last
		if ipc.MatchGlob(glob, e.Name) {
			count, last = count+1, e.Name
			n.reply(ipc.AppendEntry(n.out, shown(e.Name, role(first), e.Fence, e.Value)))
		}
		return !n.over
	})
	if err != nil {
		n.refuse(n.explain(err))
		return
	}
	n.counted("count", count)
}

func role(holds bool) ipc.Role {
	if holds {
		return ipc.RoleHolder
	}
	return ipc.RoleWaiter
}

// shown is an entry as WHO and LIST write it. One that lockside did not write
// has no host.
func shown(name string, r ipc.Role, fence int64, v leases.Value) *ipc.Entry {
	e := &ipc.Entry{Name: name, Role: r, Fence: fence, UID: -1}
	if v.Host == "" {
		return e
	}
	e.Host, e.PID, e.UID, e.User, e.Comm = v.Host, int(v.PID), int(v.UID), v.User, v.Comm
	e.Unit, e.Owner, e.Since = v.Unit, v.Owner, v.Since
	return e
}
