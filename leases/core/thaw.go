package core

import "time"

// Thaw makes the machine of an image. The first Step hands out the actions that
// the image's program waited for, and ends first what is past its deadline.
func Thaw(cfg Config, img *Image) *Machine {
	m := empty(cfg)
	m.now, m.revision, m.lastBatch, m.lastWatch = img.Now, img.Revision, img.LastBatch, img.LastWatch
	m.batchOps, m.wary, m.counts = img.BatchOps, img.Wary, img.Counts
	if m.counts.Losses == nil {
		m.counts.Losses = map[Reason]uint64{}
	}
	t := &thawer{m: m, Image: img}
	t.queues()
	t.leases()
	t.sessions()
	t.releases()
	t.places()
	t.resume()
	m.early, m.actions = m.actions, nil
	return m
}

// A thawer finds what numbers refer to.
type thawer struct {
	m *Machine
	*Image
	entries  []*entry
	requests []*request
}

func (t *thawer) queues() {
	t.entries = make([]*entry, len(t.Entries))
	for _, img := range t.Queues {
		q := t.m.queue(img.Name)
		q.foreign = img.Foreign
		for _, n := range img.Entries {
			t.entries[n] = t.Entries[n].entry(q)
			q.entries = append(q.entries, t.entries[n])
		}
		if img.Read {
			t.m.wantRead(q)
		}
	}
}

func (img EntryImage) entry(q *queue) *entry {
	return &entry{
		queue: q, slot: img.Slot, key: img.Key, state: entryState(img.State), rev: img.Rev, value: img.Value,
		granted: img.Granted, alive: img.Alive, lingers: img.Lingers, given: img.Given, doubt: img.Doubt,
		guard: img.Guard, floor: img.Floor, missing: img.Missing, erased: img.Erased,
	}
}

func (t *thawer) leases() {
	for _, img := range t.Leases {
		l := &lease{
			id: img.ID, class: t.m.class(img.Class), state: leaseState(img.State), ttl: img.TTL, deadline: img.Deadline,
			epoch: img.Epoch, stale: img.Stale, failures: img.Failures, probing: img.Probing,
			grantAt: img.GrantAt, fenceAt: img.FenceAt, resumeAt: img.ResumeAt, judgeAt: img.JudgeAt,
			listAt: img.ListAt, idleAt: img.IdleAt, yieldAt: img.YieldAt,
		}
		l.alarm.task = l
		t.m.leases[l.id] = l
		if l.state != dead {
			l.class.leases = append(l.class.leases, l)
		}
		for _, n := range img.Entries {
			t.entries[n].lease = l
			l.entries = append(l.entries, t.entries[n])
		}
	}
}

func (t *thawer) sessions() {
	t.requests = make([]*request, len(t.Requests))
	for _, img := range t.Sessions {
		s := &session{id: img.ID}
		t.m.sessions[s.id] = s
		for _, n := range img.Held {
			s.held = append(s.held, t.entries[n])
			t.entries[n].session = s
		}
		if img.Request >= 0 {
			s.request = t.request(t.Requests[img.Request], s)
			t.requests[img.Request] = s.request
		}
	}
}

func (t *thawer) request(img RequestImage, s *session) *request {
	r := &request{session: s, names: img.Names, ttl: img.TTL, value: img.Value, try: img.Try, at: img.At, sent: img.Sent}
	r.alarm.task = r
	t.m.alarms.set(&r.alarm, img.Ends)
	for _, n := range img.Entries {
		r.entries = append(r.entries, t.entries[n])
		t.entries[n].session, t.entries[n].request = s, r
	}
	if len(r.entries) > 0 {
		r.op = &op{request: r, empty: img.Empty, alone: img.Alone}
	}
	return r
}

func (t *thawer) releases() {
	releases := make([]*release, len(t.Releases))
	for i, img := range t.Releases {
		s := t.m.sessions[img.Session]
		if s == nil {
			s = &session{id: img.Session, ended: true} // nobody waits for the answer
		}
		releases[i] = &release{session: s, left: img.Left, held: img.Held}
	}
	for n, img := range t.Entries {
		if img.Release >= 0 {
			t.entries[n].release = releases[img.Release]
		}
	}
}

// places puts requests where they wait: into lines, waiting rooms and outboxes.
func (t *thawer) places() {
	for _, img := range t.Queues {
		q := t.m.queue(img.Name)
		for _, n := range img.Line {
			t.requests[n].line = q
			q.line = append(q.line, t.requests[n])
		}
	}
	for ttl, waiting := range t.Waiting {
		for _, n := range waiting {
			t.m.sit(t.requests[n], t.m.class(ttl))
		}
	}
	for _, img := range t.Leases {
		l := t.m.leases[img.ID]
		for _, o := range img.Outbox {
			if o.Request >= 0 {
				l.outbox = append(l.outbox, t.requests[o.Request].op)
			} else {
				l.outbox = append(l.outbox, &op{entry: t.entries[o.Entry], alone: o.Alone})
			}
		}
		l.hurry(usual)
	}
}

// resume asks again for what was not answered, and renews every lease.
func (t *thawer) resume() {
	for _, img := range t.Leases {
		l := t.m.leases[img.ID]
		switch {
		case l.state == dead && l.yieldAt == 0:
			t.m.emit(RevokeLease{l.id})
		case l.state == granting && l.grantAt == 0:
			t.m.emit(GrantLease{l.id, l.class.ttl})
		case l.state == dead || l.state == granting:
		default:
			l.renewAt = max(t.m.now, time.Nanosecond)
			if l.stale && l.fenceAt == 0 {
				t.m.emit(FenceLease{l.id})
			}
		}
		t.m.arm(l)
		t.m.load(l)
	}
	for _, q := range t.m.queues {
		t.m.touch(q)
	}
	t.m.grantFor(t.m.class(t.m.cfg.DefaultTTL))
}
