package core

import "time"

// watchPause is how long a watch that never got ready is not opened again. The
// poll goes on meanwhile.
const watchPause = time.Second

// watchQueue opens, keeps or closes the watch of a queue, and sets the queue's
// alarm for what is next.
//
// A watch is opened at once when somebody waits for another host's entry, and
// otherwise once an entry has been live for a while: short locks need none. It
// is opened from now and the queue is read after it is ready, since etcd
// serves a watch that starts at or below its current revision only every 100
// ms. It lingers after the last entry, for the name's next user.
func (m *Machine) watchQueue(q *queue) {
	behind, since := q.urgency()
	var next time.Duration
	switch {
	case q.watch == 0 && since > 0 && m.now < q.watchAfter:
		next = q.watchAfter
	case q.watch == 0 && (behind || since > 0 && m.now-since >= m.cfg.WatchDelay):
		m.openWatch(q)
	case q.watch == 0 && since > 0:
		next = since + m.cfg.WatchDelay
	}
	if len(q.entries) > 0 || len(q.line) > 0 {
		q.idleSince = 0
	} else if q.watch != 0 {
		if q.idleSince == 0 {
			q.idleSince = m.now
		}
		if next = q.idleSince + m.cfg.WatchLinger; next <= m.now {
			m.closeWatch(q)
			next = 0
		}
	}
	if !behind {
		q.pollAt = 0
	} else if q.pollAt == 0 {
		q.pollAt = m.now + m.cfg.PollEvery
	}
	m.alarms.set(&q.alarm, earliest(next, q.pollAt))
}

// urgency reports whether somebody waits for another host's entry, and since
// when the oldest of ours is live, zero for none.
func (q *queue) urgency() (behind bool, since time.Duration) {
	for _, e := range q.entries {
		if e.state != live || e.given {
			continue
		}
		if since == 0 || e.alive < since {
			since = e.alive
		}
		behind = behind || e.request != nil && q.behindForeign(e)
	}
	return behind, since
}

// ring is the queue's alarm: a poll, or a change of its watch.
func (q *queue) ring(m *Machine) {
	if q.pollAt > 0 && q.pollAt <= m.now {
		q.pollAt = 0
		m.wantRead(q)
	}
	m.touch(q)
}

func (m *Machine) openWatch(q *queue) {
	m.lastWatch++
	q.watch, q.watching, q.synced = m.lastWatch, false, false
	m.watches[q.watch] = q
	m.emit(OpenWatch{q.watch, q.name})
}

func (m *Machine) closeWatch(q *queue) {
	m.emit(CloseWatch{q.watch})
	delete(m.watches, q.watch)
	q.watch, q.watching, q.synced, q.idleSince = 0, false, false, 0
}

func (ev WatchReady) apply(m *Machine) {
	if q := m.watches[ev.Watch]; q != nil {
		q.watching = true
		m.wantRead(q) // what happened before the watch was ready
	}
}

func (ev WatchGone) apply(m *Machine) {
	if q := m.watches[ev.Watch]; q != nil {
		delete(m.watches, ev.Watch)
		if !q.watching {
			q.watchAfter = m.now + watchPause // it may be refused again at once
		}
		q.watch, q.watching, q.synced, q.idleSince = 0, false, false, 0
		m.touch(q) // opens another one if it is needed
	}
}

func (ev WatchSaw) apply(m *Machine) {
	q := m.watches[ev.Watch]
	if q == nil {
		return
	}
	for _, c := range ev.Changes {
		m.saw(c.Revision)
		if c.Deleted {
			m.sawDeleted(q, c)
		} else if e := q.own(c.Key); e != nil && e.state == live && c.Created == e.rev && c.Revision != e.rev {
			m.vanish(e, 0) // overwritten
		}
	}
	m.touch(q)
}

// sawDeleted takes note of a deletion, which is true for ever (I2).
func (m *Machine) sawDeleted(q *queue, c Change) {
	q.bury(c.Key, c.Revision, c.Revision)
	if q.synced {
		q.leave(c.Key)
	}
	if e := q.own(c.Key); e != nil && e.rev != 0 && e.rev < c.Revision {
		m.vanish(e, c.Revision)
	}
}

// leave takes out another host's entry that is known to be gone.
func (q *queue) leave(key string) {
	if created, ok := q.foreign[key]; ok && q.buried(key, created) {
		delete(q.foreign, key)
	}
}

// sync ends the time in which the watch tells only half of what happened: a
// read that was asked for when the watch was ready shows what was before. Until
// then nobody may move up for what the watch shows, since our own entry may have
// gone before the watch began.
func (q *queue) sync() {
	if q.synced || q.watch == 0 || q.read.watch != q.watch {
		return
	}
	q.synced = true
	for key := range q.tombs {
		q.leave(key)
	}
}

// earliest is the smaller of two moments of which zero is none.
func earliest(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
