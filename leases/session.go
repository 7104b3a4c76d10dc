package leases

import (
	"encoding/json"
	"fmt"
	"time"

	"lockside/leases/core"
)

// Forever, as Request.Wait, waits without a limit.
const Forever = core.Forever

// Subscriber is told what becomes of a session. The calls come one at a time,
// with the Service's mutex held: they must not block and must not call back.
// Lost is called at most once, and nothing is called after it or after
// Session.End.
type Subscriber interface {
	// Granted answers Lock.
	Granted(Grant)
	// Refused answers Lock or Unlock; nothing changed.
	Refused(error)
	// Released answers Unlock: etcd has deleted the entries. Held is how long
	// they were held.
	Released(held time.Duration)
	// Lost ends the session: whoever is behind it must be cut off before the
	// call returns (P3, P4).
	Lost(Reason)
}

// Grant is a lock, or several taken together, that a session now holds.
type Grant struct {
	Fence   int64
	Cluster uint64 // the etcd cluster whose revision the fence is
	Lease   int64
	TTL     time.Duration
	Until   time.Duration // on the boot clock: when it is lost unless the lease is renewed
	Keys    []string      // in etcd, one a name
}

// Request asks for names, all or none.
type Request struct {
	Names []string
	TTL   time.Duration // zero for the default; whole seconds
	Wait  time.Duration // zero tries; Forever
	Value Value         // of each entry
}

// Value is what an entry says of its session. Since is set by Lock.
type Value struct {
	Host  string    `json:"host"`
	PID   int32     `json:"pid,omitempty"`
	UID   uint32    `json:"uid"`
	User  string    `json:"user,omitempty"`
	Comm  string    `json:"comm,omitempty"`
	Unit  string    `json:"unit,omitempty"`
	Owner string    `json:"owner,omitempty"`
	Since time.Time `json:"since"`
	Mode  string    `json:"mode,omitempty"`
}

// Session is one client's locks. Its methods never wait.
type Session struct {
	service *Service
	id      core.SessionID
}

// Session begins a session.
func (s *Service) Session(to Subscriber) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastSession++
	id := s.lastSession
	s.subscribers[id] = to
	s.stepLocked(core.Open{Session: id})
	return &Session{s, id}
}

// ID is the session's number, which this Service never gives to another.
func (n *Session) ID() uint64 { return uint64(n.id) }

// Lock asks for names; Granted, Refused or Lost answers. The error is that of
// a value that cannot be written.
func (n *Session) Lock(r Request) error {
	r.Value.Since = time.Now().UTC().Truncate(time.Millisecond)
	value, err := json.Marshal(r.Value)
	if err != nil {
		return fmt.Errorf("write value: %w", err)
	}
	n.service.step(core.Lock{Session: n.id, Names: r.Names, TTL: r.TTL, Wait: r.Wait, Value: value})
	return nil
}

// Unlock gives names up, if the fence is zero or theirs; Released, Refused or
// Lost answers. All of them stay held if one cannot be released.
func (n *Session) Unlock(names []string, fence int64) {
	n.service.step(core.Unlock{Session: n.id, Names: names, Fence: fence})
}

// Cancel calls off a Lock that still waits, which is then Refused.
func (n *Session) Cancel() { n.service.step(core.Cancel{Session: n.id}) }

// End gives up everything the session has. Nothing is called after it.
func (n *Session) End() {
	s := n.service
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.subscribers, n.id)
	s.stepLocked(core.End{Session: n.id})
}

// deliverLocked tells a session's subscriber.
func (s *Service) deliverLocked(a core.Action) {
	switch a := a.(type) {
	case core.Granted:
		if to := s.subscribers[a.Session]; to != nil {
			to.Granted(Grant{a.Fence, s.etcd.Cluster(), a.Lease, a.TTL, a.Until, a.Keys})
		}
	case core.Refused:
		if to := s.subscribers[a.Session]; to != nil {
			to.Refused(a.Err)
		}
	case core.Released:
		if to := s.subscribers[a.Session]; to != nil {
			to.Released(a.Held)
		}
	case core.Lost:
		if to := s.subscribers[a.Session]; to != nil {
			delete(s.subscribers, a.Session)
			to.Lost(a.Reason)
		}
	}
}
