package daemon

import (
	"sync"
	"time"

	"lockside/daemon/peer"
	"lockside/ipc"
	"lockside/leases"
)

// patienceBehind is how long a client may have more than ipc.MaxBehind bytes
// behind a request that waits. Until then the session just stops reading.
const patienceBehind = time.Second

// flushAt is how many bytes of replies are gathered at most before they are written.
const flushAt = 16 << 10

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
	conn   *conn
	peer   peer.Peer
	locks  *leases.Session
	owner  string // as HELLO said

	inbox  chan message
	events chan event
	done   chan struct{}  // closed when serve has ended
	reader sync.WaitGroup // the reader

	waits     wait
	names     []string  // of the LOCK that waits
	backlog   []message // what came behind it
	behind    int       // bytes in the backlog
	crowded   <-chan time.Time
	cancelled bool // the last LOCK was ended by CANCEL
	out       []byte
	over      bool
}

func newSession(s *server, c *conn, who peer.Peer) *session {
	n := &session{
		server: s, conn: c, peer: who,
		inbox: make(chan message), events: make(chan event, 2), done: make(chan struct{}),
	}
	n.locks = s.locks.Session(n)
	r := &reader{conn: c, inbox: n.inbox, done: n.done}
	n.reader.Go(r.read)
	return n
}

// serve handles what comes, one thing at a time, until the session is over.
func (n *session) serve() {
	for !n.over {
		if n.waits == nothing && len(n.backlog) > 0 {
			n.handle(n.behindNext())
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
			break
		}
		select {
		case m := <-n.next():
			n.receive(m)
		case e := <-n.events:
			n.answer(e)
		case <-n.crowded:
			n.conn.cut(ipc.AppendLost(nil, ipc.ReasonLimit))
			n.over = true
		}
	}
	n.flush()
}

// end gives up what the session has, and waits for its reader.
func (n *session) end() {
	n.locks.End()
	n.waiting(nothing)
	close(n.done)
	n.conn.cut(nil)
	n.reader.Wait()
}

// next is where messages come from, or nil while too much stands behind a
// request that waits.
func (n *session) next() <-chan message {
	if n.behind > ipc.MaxBehind {
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
	case n.waits == forLock && m.err == nil && m.request.Verb == ipc.VerbCancel:
		n.locks.Cancel()
	}
	n.backlog = append(n.backlog, m)
	n.behind += m.size
	if n.behind > ipc.MaxBehind {
		n.crowded = time.After(patienceBehind)
	}
}

// behindNext takes the oldest message out of the backlog.
func (n *session) behindNext() message {
	m := n.backlog[0]
	n.backlog = n.backlog[1:]
	n.behind -= m.size
	n.crowded = nil
	if len(n.backlog) == 0 {
		n.backlog = nil
	}
	return m
}

// waiting notes what the client waits for, and counts the LOCKs that do.
func (n *session) waiting(w wait) {
	if n.waits == forLock {
		n.server.waiters.Add(-1)
	}
	if w == forLock {
		n.server.waiters.Add(1)
	}
	n.waits = w
}

// flush writes the replies gathered so far.
func (n *session) flush() {
	if len(n.out) == 0 {
		return
	}
	if _, err := n.conn.Write(n.out); err != nil {
		n.over = true
	}
	n.out = n.out[:0]
	if cap(n.out) > flushAt {
		n.out = nil
	}
}

// reply flushes once enough has gathered.
func (n *session) reply(out []byte) {
	n.out = out
	if len(n.out) >= flushAt {
		n.flush()
	}
}

func (n *session) refuse(err error) { n.reply(ipc.AppendErr(n.out, err)) }
