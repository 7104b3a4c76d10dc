package daemon

import (
	"sync"
	"time"

	"lockside/daemon/peer"
	"lockside/ipc"
	"lockside/leases"
)

// patienceBehind is how long a client may have more than ipc.MaxBehind bytes
// behind a LOCK that waits. Until then the session just stops reading.
const patienceBehind = time.Second

// partTime is how long a client that has nothing more to ask is kept, to tell
// it that etcd has deleted its entries.
const partTime = 5 * time.Second

// A wait is what the session's client is waiting for.
type wait uint8

const (
	nothing wait = iota
	forLock
	forUnlock
	forQuit
)

// session is one client's connection, as the protocol sees it. All of it
// belongs to the goroutine in serve, but for the Subscriber's methods.
type session struct {
	server *server
	id     uint64
	conn   *conn
	peer   peer.Peer
	locks  *leases.Session
	owner  string // as HELLO said

	inbox   chan message
	events  chan event
	done    chan struct{}  // closed when serve has ended
	reader  reader         // of a goroutine of its own while the session is served
	reading sync.WaitGroup // that goroutine
	lost    leases.Reason  // set by Lost, read once nothing calls that any more

	request   ipc.Request // the line that is looked at
	waits     wait
	names     []string         // of the LOCK that waits
	behind    backlog          // what came behind the request that waits
	patience  <-chan time.Time // rings when the wait must end; nil if it need not
	cancelled int64            // LOCKs ended by a CANCEL whose turn to be answered is still to come
	out       []byte
	flushed   int64 // bytes of replies that were written
	over      bool
}

func newSession(s *server, c *conn, who peer.Peer) *session {
	n := &session{server: s, conn: c, peer: who, events: make(chan event, 2)}
	n.reader.lines.in = c
	n.locks = s.locks.Session(n)
	n.id = n.locks.ID()
	return n
}

// serve handles what comes, one thing at a time, until the session is over or the
// server is being frozen.
func (n *session) serve() {
	n.begin()
	for !n.over && !n.server.freezing() {
		if n.handleBehind() {
			continue
		}
		select {
		case m := <-n.next():
			n.receive(m)
			continue
		case e := <-n.events:
			n.answer(e)
			continue
		default:
			n.flush() // nothing more for now: let the client have its replies
		}
		if n.over {
			return
		}
		select {
		case m := <-n.next():
			n.receive(m)
		case e := <-n.events:
			n.answer(e)
		case <-n.patience:
			n.giveUp()
		case <-n.server.life.Done():
		}
	}
	n.flush()
}

// begin starts the reader. It may be started again once it has stopped.
func (n *session) begin() {
	n.inbox, n.done = make(chan message), make(chan struct{})
	n.reader.conn, n.reader.inbox, n.reader.done = n.conn, n.inbox, n.done
	n.reading.Go(n.reader.read)
}

// end gives up what the session has, and waits for its reader. The client reads
// end-of-file before anybody can be granted what it had (P3).
func (n *session) end() {
	n.conn.cut(nil)
	n.locks.End()
	n.waiting(nothing)
	n.stopReading()
	if n.lost != "" {
		n.logLost(ipc.Reason(n.lost))
	}
}

func (n *session) stopReading() {
	if n.done != nil {
		close(n.done)
		n.reading.Wait()
		n.done = nil
	}
}

func (n *session) logLost(reason ipc.Reason) {
	n.server.log.Warn("Session lost", "session", n.id, "reason", reason,
		"pid", n.peer.PID, "user", n.peer.User, "comm", n.peer.Comm)
}

// next is where messages come from, or nil while too much stands behind a
// request that waits.
func (n *session) next() <-chan message {
	if n.behind.full() {
		return nil
	}
	return n.inbox
}

// receive takes one message from the reader: handles it, or lets it stand
// behind the request that waits. A hang-up and CANCEL act at once.
func (n *session) receive(m message) {
	switch {
	case m.end == hungUp:
		n.over = true
		return
	case n.waits == nothing:
		n.handle(m)
		return
	case m.end == open && n.request.Parse(m.line) == nil && n.request.Verb == ipc.VerbCancel:
		n.behind.cancels++
		n.locks.Cancel()
	}
	n.behind.put(m)
	n.bound()
}

// handleBehind handles what stands behind a request that is answered.
func (n *session) handleBehind() bool {
	if n.waits != nothing {
		return false
	}
	m, ok := n.behind.take()
	if ok {
		n.handle(m)
	}
	return ok
}

// waiting notes what the client waits for, and counts the LOCKs that do.
func (n *session) waiting(w wait) {
	if n.waits == forLock {
		n.server.waiters.Add(-1)
	}
	if w == forLock {
		n.server.waiters.Add(1)
	}
	n.waits, n.patience = w, nil
	n.bound()
}

// bound bounds a wait that must not be endless: one behind which the session
// cannot read on, and one for etcd alone of a client that is leaving.
func (n *session) bound() {
	switch {
	case n.patience != nil:
	case n.waits == forLock && n.behind.full():
		n.patience = time.After(patienceBehind)
	case n.waits == forQuit, n.waits == forUnlock && n.behind.end != open:
		n.patience = time.After(partTime)
	}
}

// giveUp ends the session because of what it waits for.
func (n *session) giveUp() {
	n.over = true
	if n.waits == forLock {
		n.conn.cut(ipc.AppendLost(nil, ipc.ReasonLimit))
		n.logLost(ipc.ReasonLimit)
	}
}
