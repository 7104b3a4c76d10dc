package daemon

import (
	"context"
	"slices"
	"time"

	"lockside/ipc"
	"lockside/leases"
)

// queryTime bounds what a request that asks etcd may take.
const queryTime = 5 * time.Second

// handle serves one message in its turn.
func (n *session) handle(m message) {
	switch {
	case m.end == tooLong:
		n.refuse(ipc.ErrTooLong)
		n.over = true
	case m.end != open:
		n.over = true // all that came before is answered
	default:
		if err := n.request.Parse(m.line); err != nil {
			n.refuse(err)
			return
		}
		n.obeyOrPutBack(m.line)
	}
}

// obeyOrPutBack carries out a request. A question to etcd which is called off since
// the server is being frozen is not answered, but asked again later.
func (n *session) obeyOrPutBack(line []byte) {
	replied, flushed := len(n.out), n.flushed
	n.obey(&n.request)
	if n.server.freezing() && asks(&n.request) && n.flushed == flushed {
		n.out = n.out[:replied]
		n.behind.putBack(line)
	}
}

// asks reports whether a request waits for an answer of etcd, and changes nothing.
func asks(r *ipc.Request) bool {
	return r.Verb == ipc.VerbWho || r.Verb == ipc.VerbList && r.Scope == ipc.ScopeCluster || r.Verb == ipc.VerbCheck && r.Verify
}

// obey carries out a request. A process that slept must not serve the living dead:
// what is past its deadline ends first, which the locks' side sees to by itself when
// it is asked for something.
func (n *session) obey(r *ipc.Request) {
	switch r.Verb {
	case ipc.VerbLock:
		n.lock(r)
	case ipc.VerbUnlock:
		n.waiting(forUnlock)
		n.locks.Unlock(r.Names, r.Fence)
	case ipc.VerbCheck:
		n.check(r)
	default:
		n.server.locks.Tick()
		n.tell(r)
	}
}

// tell answers a request that changes no lock, or ends what there is.
func (n *session) tell(r *ipc.Request) {
	switch r.Verb {
	case ipc.VerbWho:
		n.who(r.Names[0])
	case ipc.VerbList:
		n.list(r)
	case ipc.VerbStatus:
		n.status()
	case ipc.VerbHello:
		n.hello(r)
	case ipc.VerbPing:
		n.ok()
	case ipc.VerbHelp:
		n.reply(ipc.AppendHelp(n.out, r.Topic))
	case ipc.VerbCancel:
		n.cancel()
	case ipc.VerbQuit:
		n.quit()
	case ipc.VerbAcceptRestore:
		n.acceptRestore(r)
	default:
		n.refuse(ipc.ErrInternal)
	}
}

// lock hands a LOCK to the locks' side, which answers by an event. One that a
// CANCEL stands behind is called off already.
func (n *session) lock(r *ipc.Request) {
	if n.behind.cancels > 0 {
		n.cancelled++
		n.refuse(ipc.ErrCancelled)
		return
	}
	if err := n.allowed(r); err != nil {
		n.refuse(err)
		return
	}
	owner := r.Owner
	if owner == "" {
		owner = n.owner
	}
	wait := r.Wait
	if wait < 0 {
		wait = leases.Forever
	}
	if r.TTL > 0 {
		n.server.vital.shorten(r.TTL)
	}
	n.names = slices.Clone(r.Names) // the next line is parsed while this one waits
	n.waiting(forLock)
	err := n.locks.Lock(leases.Request{Names: n.names, TTL: r.TTL, Wait: wait, Value: leases.Value{
		Host: n.server.cfg.Host, PID: n.peer.PID, UID: n.peer.UID, User: n.peer.User,
		Comm: n.peer.Comm, Unit: n.peer.Unit, Owner: owner,
	}})
	if err != nil {
		n.waiting(nothing)
		n.refuse(n.explain(err))
	}
	if r.TTL > 0 {
		n.server.vital.shorten(r.TTL)
	}
}

// allowed holds a LOCK against the daemon's bounds.
func (n *session) allowed(r *ipc.Request) error {
	c := n.server.cfg
	if r.TTL != 0 && (r.TTL < c.MinTTL || r.TTL > c.MaxTTL) {
		return ipc.ErrBadRequest.WithText("ttl=%v is out of bounds: from %v to %v", r.TTL, c.MinTTL, c.MaxTTL)
	}
	if most := c.Limits.Waiters; n.server.waiters.Load() >= int64(most) {
		return ipc.ErrLimit.WithText("this daemon has at most %d waiters", most)
	}
	return nil
}

func (n *session) check(r *ipc.Request) {
	name := r.Names[0]
	held, err := n.locks.Check(name)
	if err == nil && r.Verify {
		ctx, cancel := context.WithTimeout(n.server.life, queryTime)
		held, err = n.locks.Verify(ctx, name)
		cancel()
	}
	if err != nil {
		n.refuse(n.explain(err))
		return
	}
	out := ipc.AppendInt(ipc.AppendOK(n.out), "fence", held.Fence)
	out = ipc.AppendDuration(out, "left", held.Left)
	n.reply(ipc.AppendEnd(ipc.AppendDuration(out, "until", held.Until)))
}

func (n *session) hello(r *ipc.Request) {
	if r.Owner != "" {
		n.owner = r.Owner
	}
	out := ipc.AppendInt(ipc.AppendOK(n.out), "lockside", ipc.Version)
	out = ipc.AppendString(out, "host", n.server.cfg.Host)
	out = ipc.AppendInt(out, "session", int64(n.id))
	if margin := n.server.cfg.Margin; margin > 0 {
		out = ipc.AppendDuration(out, "margin", margin)
	}
	n.reply(ipc.AppendEnd(ipc.AppendDuration(out, "clock", n.server.locks.Now())))
}

// cancel answers a CANCEL, which acted before: when it was read, or on a LOCK
// that it stood behind.
func (n *session) cancel() {
	n.behind.cancels = max(n.behind.cancels-1, 0)
	n.counted("cancelled", n.cancelled)
	n.cancelled = 0
}

// quit releases all that is held, and ends the session once etcd has confirmed
// it.
func (n *session) quit() {
	var names []string
	for _, l := range n.locks.List() {
		names = append(names, l.Name)
	}
	if len(names) == 0 {
		n.ok()
		n.over = true
		return
	}
	n.waiting(forQuit)
	n.locks.Unlock(names, 0)
}
