package core

import "time"

// readsInFlight and mostPerRead bound the reads: one answers for many queues.
const (
	readsInFlight = 2
	mostPerRead   = 64
	readPause     = 250 * time.Millisecond // after a read without answer
)

// reads is the queues that are to be read, and the reads under way. A read
// without an answer makes the next ones smaller, so that neither a queue that
// etcd will not show nor a limit of etcd's keeps the others from being read.
type reads struct {
	alarm
	wanted []*queue
	most   int // queues in one read
	under  map[uint64][]*queue
	last   uint64
	paused bool
}

// queueRead is a queue's part in it. A read that is wanted while one is under
// way follows it: the one under way may be older than the wish.
type queueRead struct {
	wanted, under bool
	floor         int64
	watch         uint64 // the queue's, if it was ready when this was asked
}

func (m *Machine) wantRead(q *queue) {
	if !q.read.wanted {
		q.read.wanted = true
		m.reads.wanted = append(m.reads.wanted, q)
	}
}

func (ev Recheck) apply(m *Machine) {
	if q := m.queues[ev.Name]; q != nil {
		m.wantRead(q)
	}
}

// issueReads sends what is wanted, as far as it may.
func (m *Machine) issueReads() {
	r := &m.reads
	for len(r.wanted) > 0 && len(r.under) < readsInFlight && !r.paused {
		var names []string
		var now, later []*queue
		for _, q := range r.wanted {
			if q.read.under || len(now) == r.most {
				later = append(later, q)
				continue
			}
			q.read = queueRead{under: true, floor: m.revision}
			if q.watching {
				q.read.watch = q.watch
			}
			now, names = append(now, q), append(names, q.name)
		}
		r.wanted = later
		if len(now) == 0 {
			return
		}
		r.last++
		if r.under == nil {
			r.under = map[uint64][]*queue{}
		}
		r.under[r.last] = now
		m.emit(ReadQueues{r.last, names})
	}
}

func (ev QueuesRead) apply(m *Machine) {
	m.saw(ev.Revision)
	under := m.reads.under[ev.Read]
	delete(m.reads.under, ev.Read)
	m.reads.most = min(m.reads.most+1, mostPerRead)
	for i, q := range under {
		q.read.under = false
		m.learn(q, ev.Queues[i].Keys, ev.Revision)
		q.sync()
	}
}

func (ev ReadFailed) apply(m *Machine) {
	under := m.reads.under[ev.Read]
	delete(m.reads.under, ev.Read)
	for _, q := range under {
		q.read.under = false
		m.wantRead(q)
	}
	m.reads.most = max(m.reads.most/2, 1)
	m.reads.paused = true
	m.alarms.set(&m.reads.alarm, m.now+readPause)
}

func (r *reads) ring(*Machine) { r.paused = false }
