package core

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Freeze ends a machine and returns what the next program needs to go on. Of the
// answers that are under way none is waited for: a batch is of unknown outcome, as
// if its reply had been lost (I5), and all else is asked again. The actions of
// earlier steps must have been carried out, and Step must not be called any more.
func (m *Machine) Freeze(now time.Duration) *Image {
	m.now = max(m.now, now)
	for _, id := range slices.Sorted(maps.Keys(m.batches)) {
		BatchUnknown{id}.apply(m)
	}
	f := &freezer{
		Image: &Image{
			Now: m.now, Revision: m.revision, LastBatch: m.lastBatch, LastWatch: m.lastWatch,
			BatchOps: m.batchOps, Wary: m.wary, Counts: m.counts, Waiting: map[time.Duration][]int{},
		},
		entries: map[*entry]int{}, requests: map[*request]int{}, releases: map[*release]int{},
	}
	f.queues(m)
	f.sessions(m)
	f.leases(m)
	return f.Image
}

// A freezer numbers what refers to each other.
type freezer struct {
	*Image
	entries  map[*entry]int
	requests map[*request]int
	releases map[*release]int
}

// queues takes the queues, and their entries: each entry has one.
func (f *freezer) queues(m *Machine) {
	for _, name := range slices.Sorted(maps.Keys(m.queues)) {
		q := m.queues[name]
		img := QueueImage{Name: name, Foreign: q.foreign, Read: q.read.wanted || q.read.under}
		for _, e := range q.entries {
			f.entries[e] = len(f.Entries)
			img.Entries = append(img.Entries, len(f.Entries))
			f.Entries = append(f.Entries, f.entry(e))
			img.Read = img.Read || e.doubt || e.missing
		}
		f.Queues = append(f.Queues, img)
	}
}

func (f *freezer) entry(e *entry) EntryImage {
	return EntryImage{
		Slot: e.slot, Key: e.key, State: uint8(e.state), Rev: e.rev, Value: e.value, Granted: e.granted,
		Alive: e.alive, Lingers: e.lingers, Given: e.given, Doubt: e.doubt, Guard: e.guard, Floor: e.floor,
		Missing: e.missing, Erased: e.erased, Release: f.release(e.release),
	}
}

func (f *freezer) release(r *release) int {
	if r == nil {
		return -1
	}
	n, ok := f.releases[r]
	if !ok {
		n = len(f.Releases)
		f.releases[r] = n
		f.Releases = append(f.Releases, ReleaseImage{r.session.id, r.left, r.held})
	}
	return n
}

// sessions takes the sessions with their requests, and then the lines in which
// these stand.
func (f *freezer) sessions(m *Machine) {
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		s := m.sessions[id]
		img := SessionImage{ID: id, Held: f.of(s.held), Request: -1}
		if r := s.request; r != nil {
			img.Request = len(f.Requests)
			f.requests[r] = img.Request
			f.Requests = append(f.Requests, f.request(r))
		}
		f.Sessions = append(f.Sessions, img)
	}
	for i, img := range f.Queues {
		f.Queues[i].Line = f.asked(m.queues[img.Name].line)
	}
	for ttl, c := range m.classes {
		if len(c.waiting) > 0 {
			f.Waiting[ttl] = f.asked(c.waiting)
		}
	}
}

func (f *freezer) request(r *request) RequestImage {
	img := RequestImage{
		Names: r.names, TTL: r.ttl, Value: r.value, Try: r.try, At: r.at, Entries: f.of(r.entries), Sent: r.sent,
	}
	if r.index > 0 {
		img.Ends = r.alarm.at
	}
	if r.op != nil {
		img.Empty, img.Alone = r.op.empty, r.op.alone
	}
	return img
}

func (f *freezer) leases(m *Machine) {
	all := slices.SortedFunc(maps.Values(m.leases), func(a, b *lease) int { return cmp.Compare(a.id, b.id) })
	for _, l := range all {
		img := LeaseImage{
			ID: l.id, Class: l.class.ttl, TTL: l.ttl, State: uint8(l.state), Deadline: l.deadline, Epoch: l.epoch,
			Stale: l.stale, Failures: l.failures, Entries: f.of(l.entries), Probing: l.probing,
			GrantAt: l.grantAt, FenceAt: l.fenceAt, ResumeAt: l.resumeAt, JudgeAt: l.judgeAt,
			ListAt: l.listAt, IdleAt: l.idleAt, YieldAt: l.yieldAt,
		}
		for _, o := range l.outbox {
			op := OpImage{-1, -1, o.alone}
			if o.request != nil {
				op.Request = f.requests[o.request]
			} else {
				op.Entry = f.entries[o.entry]
			}
			img.Outbox = append(img.Outbox, op)
		}
		f.Leases = append(f.Leases, img)
	}
}

// of is the numbers of entries, asked those of requests.
func (f *freezer) of(entries []*entry) []int {
	var list []int
	for _, e := range entries {
		list = append(list, f.entries[e])
	}
	return list
}

func (f *freezer) asked(requests []*request) []int {
	var list []int
	for _, r := range requests {
		list = append(list, f.requests[r])
	}
	return list
}
