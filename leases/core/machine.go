package core

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"
)

// Machine is the state of one host's locks. It is not safe for concurrent use.
type Machine struct {
	cfg     Config
	now     time.Duration // of the step under way
	alarms  alarms
	early   []Action // of New, for the first step
	actions []Action

	sessions map[SessionID]*session
	queues   map[string]*queue
	watches  map[uint64]*queue
	leases   map[int64]*lease
	classes  map[time.Duration]*class
	batches  map[uint64]*Batch
	reads    reads

	touched []*queue // to be settled at the end of the step
	loaded  []*lease // whose outbox is to be packed at the end of the step

	lastBatch, lastWatch uint64
	batchOps             int
	wary                 int   // how many enqueues more take no queue to be empty
	revision             int64 // the highest that an answer showed
	closed               error // why requests are refused, if they are
	counts               Counts
}

// New makes a machine and asks for the lease of the default TTL. The first
// Step hands out that action.
func New(cfg Config) *Machine {
	m := empty(cfg)
	m.grantFor(m.class(m.cfg.DefaultTTL))
	m.early, m.actions = m.actions, nil
	return m
}

// empty makes a machine without leases.
func empty(cfg Config) *Machine {
	cfg = cfg.WithDefaults()
	m := &Machine{
		cfg:      cfg,
		sessions: map[SessionID]*session{},
		queues:   map[string]*queue{},
		watches:  map[uint64]*queue{},
		leases:   map[int64]*lease{},
		classes:  map[time.Duration]*class{},
		batches:  map[uint64]*Batch{},
		batchOps: cfg.BatchOps,
		counts:   Counts{Losses: map[Reason]uint64{}},
	}
	m.reads.alarm.task, m.reads.most = &m.reads, mostPerRead
	return m
}

// Step tells the machine the time and then an event, and returns what is to
// be done. The actions are valid until the next Step. Whatever is past its
// deadline ends before the event is looked at (I4).
func (m *Machine) Step(now time.Duration, ev Event) []Action {
	m.now = max(m.now, now)
	m.actions = m.early
	m.early = nil
	for a := m.alarms.due(m.now); a != nil; a = m.alarms.due(m.now) {
		a.task.ring(m)
	}
	ev.apply(m)
	m.settle()
	return m.actions
}

// Next is the moment by which Step must be called again; zero if there is none.
func (m *Machine) Next() time.Duration { return m.alarms.next() }

// Drained reports whether nothing of ours is left in etcd after a Drain.
func (m *Machine) Drained() bool { return m.closed != nil && len(m.leases) == 0 }

func (m *Machine) emit(a Action) { m.actions = append(m.actions, a) }

// touch marks a queue whose waiters, watch or line may have to move.
func (m *Machine) touch(q *queue) {
	if !q.touched {
		q.touched = true
		m.touched = append(m.touched, q)
	}
}

// load marks a lease that may have a batch to send.
func (m *Machine) load(l *lease) {
	if !l.loaded {
		l.loaded = true
		m.loaded = append(m.loaded, l)
	}
}

// saw notes a revision that an answer showed.
func (m *Machine) saw(revision int64) { m.revision = max(m.revision, revision) }

// settle moves the queues that the step touched until none is left, and then
// sends what has gathered. Losses are emitted before this, so a session is
// shut down before its successor is granted (I3).
func (m *Machine) settle() {
	for len(m.touched) > 0 {
		q := m.touched[0]
		m.touched = m.touched[1:]
		q.touched = false
		m.settleQueue(q)
	}
	m.touched = nil
	for _, l := range m.loaded {
		l.loaded = false
		m.flush(l)
	}
	m.loaded = m.loaded[:0]
	m.issueReads()
}

// close loses the sessions that hold something, or all of them, and gives every
// lease back; err answers requests that wait and what comes after.
func (m *Machine) close(err error, reason Reason, all bool) {
	if errors.Is(m.closed, err) {
		return
	}
	m.closed = err
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		s := m.sessions[id]
		switch {
		case all || len(s.held) > 0:
			m.lose(s, reason)
		case s.request != nil:
			m.refuse(s.request, err)
		}
	}
	leases := slices.SortedFunc(maps.Values(m.leases), func(a, b *lease) int { return cmp.Compare(a.id, b.id) })
	for _, l := range leases {
		m.die(l, reason)
	}
}

func (Tick) apply(*Machine)    {}
func (Drain) apply(m *Machine) { m.close(ErrDraining, Shutdown, true) }

// apply leaves the sessions that hold nothing, which lose nothing and can be
// told why they get nothing (P8).
func (Regress) apply(m *Machine) { m.close(ErrRegressed, Regression, false) }
