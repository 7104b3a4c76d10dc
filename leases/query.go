package leases

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"lockside/leases/core"
	"lockside/leases/etcd"
	"lockside/leases/keys"
)

// Entry is one place in a queue, of any host. Value is empty for an entry that
// lockside did not write.
type Entry struct {
	Name  string
	Key   string
	Fence int64 // create revision
	Lease int64 // zero if no lease will ever remove it
	Value Value
}

// Held is a lock that a session holds. Until is the moment, on the boot clock, at
// which it is lost unless its lease is renewed, and Left the time until then.
type Held struct {
	Name        string
	Fence       int64
	Until, Left time.Duration
}

// Local is a lock that a session of this host holds or waits for.
type Local struct {
	Session uint64
	Name    string
	Fence   int64 // zero while it waits
	Waiting bool
	Value   Value
}

// pageSize is how many keys of other hosts are read at a time.
const pageSize = 500

// Check tells how long a session's lock is safe. It returns ErrNotHeld.
func (n *Session) Check(name string) (Held, error) {
	s := n.service
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stepLocked(core.Tick{})
	h, ok := s.machine.Check(n.id, name)
	if !ok {
		return Held{}, fmt.Errorf("%w: %q", ErrNotHeld, name)
	}
	return Held{h.Name, h.Fence, h.Until, h.Left}, nil
}

// Verify is Check after asking etcd whether the entry is there, unchanged. It
// waits until the context ends, and returns ErrNotHeld, ErrUnavailable and
// ErrRegressed.
func (n *Session) Verify(ctx context.Context, name string) (Held, error) {
	s := n.service
	s.mu.Lock()
	h, ok := s.machine.Check(n.id, name)
	s.mu.Unlock()
	if !ok {
		return Held{}, fmt.Errorf("%w: %q", ErrNotHeld, name)
	}
	resp, err := s.etcd.Range(ctx, &pb.RangeRequest{Key: []byte(h.Key), KeysOnly: true})
	if err != nil {
		s.trouble("Entry not verified", err)
		return Held{}, unavailable(err)
	}
	if len(resp.Kvs) == 0 || resp.Kvs[0].CreateRevision != h.Fence || resp.Kvs[0].ModRevision != h.Fence {
		s.step(core.Recheck{Name: name}) // which loses the session, for the reason there is
		return Held{}, fmt.Errorf("%w: etcd has lost the entry of %q", ErrNotHeld, name)
	}
	return n.Check(name)
}

// Who reads the queue of a name, the holder first, of every host. It waits
// until the context ends, and returns ErrUnavailable and ErrRegressed.
func (s *Service) Who(ctx context.Context, name string) ([]Entry, error) {
	queue := keys.Queue(s.prefix, name)
	resp, err := s.etcd.Range(ctx, &pb.RangeRequest{Key: []byte(queue), RangeEnd: []byte(keys.End(queue))})
	if err != nil {
		s.trouble("Queue not read", err)
		return nil, unavailable(err)
	}
	return s.entries(resp.Kvs), nil
}

// Cluster calls each with every entry of every host, in pages so that etcd is
// not asked for all at once, until it returns false. Within one name the
// entries come by create revision, the holder first. The errors are those of Who.
func (s *Service) Cluster(ctx context.Context, each func(Entry) bool) error {
	var name []Entry
	flush := func() bool {
		slices.SortFunc(name, func(a, b Entry) int { return cmp.Compare(a.Fence, b.Fence) })
		for _, e := range name {
			if !each(e) {
				return false
			}
		}
		name = name[:0]
		return true
	}
	from, end := s.prefix, keys.End(s.prefix)
	for {
		resp, err := s.etcd.Range(ctx, &pb.RangeRequest{Key: []byte(from), RangeEnd: []byte(end), Limit: pageSize})
		if err != nil {
			s.trouble("Locks not read", err)
			return unavailable(err)
		}
		for _, e := range s.entries(resp.Kvs) {
			if len(name) > 0 && name[0].Name != e.Name && !flush() {
				return nil
			}
			name = append(name, e)
		}
		if !resp.More || len(resp.Kvs) == 0 {
			flush()
			return nil
		}
		from = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
	}
}

// entries reads key values, in order of name and then create revision.
func (s *Service) entries(kvs []*mvccpb.KeyValue) []Entry {
	var list []Entry
	for _, kv := range kvs {
		name, rest, ok := keys.Split(s.prefix, string(kv.Key))
		if !ok {
			continue // a key of the daemons' own, or nobody's entry
		}
		e := Entry{Name: name, Key: string(kv.Key), Fence: kv.CreateRevision, Lease: kv.Lease}
		if _, _, ours := keys.Place(rest); ours {
			e.Value = readValue(kv.Value)
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Fence, b.Fence))
	})
	return list
}

// readValue reads an entry's value. Anybody may have written it, so what cannot
// be read is not told.
func readValue(text []byte) Value {
	var v Value
	if err := json.Unmarshal(text, &v); err != nil {
		return Value{}
	}
	return v
}

// Sessions lists what sessions of this host hold and wait for, by name.
func (s *Service) Sessions() []Local { return s.locals(0, true) }

// List lists what this session holds and waits for, by name.
func (n *Session) List() []Local { return n.service.locals(n.id, false) }

func (s *Service) locals(only core.SessionID, all bool) []Local {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stepLocked(core.Tick{})
	var list []Local
	for _, h := range s.machine.List(only, all) {
		list = append(list, Local{uint64(h.Session), h.Name, h.Fence, h.Waiting, readValue(h.Value)})
	}
	return list
}

// Status is the state of the locks and of the store.
type Status struct {
	Locks core.Status
	Store etcd.Status
}

// Overdue is by how long the Service is late with what keeps locks true to time: to look
// at deadlines, and to renew. It does neither itself. It is next to nothing whatever
// etcd does.
func (s *Service) Overdue() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0
	}
	return s.machine.Overdue(s.clock.Now())
}

// Status never waits for etcd.
func (s *Service) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stepLocked(core.Tick{})
	return Status{s.machine.Status(), s.etcd.Status()}
}

// unavailable is the error of a request that etcd did not answer, if that is one, or
// that it was not asked because it went back.
func unavailable(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, etcd.ErrRegressed):
		return ErrRegressed
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
