package core

// A tomb remembers that what was put under a key is gone, while an answer is
// under way that may be older and show it still (I2).
type tomb struct {
	before int64 // whatever was created before this revision is gone
	known  int64 // by this revision it was
}

// buried reports whether what was created under a key at a revision is known to
// be gone.
func (q *queue) buried(key string, created int64) bool { return created < q.tombs[key].before }

// bury remembers that what was created under a key before a revision is gone,
// and was so by another.
func (q *queue) bury(key string, before, known int64) {
	if q.tombs == nil {
		q.tombs = map[string]tomb{}
	}
	t := q.tombs[key]
	q.tombs[key] = tomb{max(t.before, before), max(t.known, known)}
}

// clearTombs forgets what no answer still under way can be older than: each such
// answer is at least as new as the floor noted when it was asked for.
func (q *queue) clearTombs() {
	if len(q.tombs) == 0 {
		return
	}
	var floor int64 = -1
	note := func(f int64) {
		if floor < 0 || f < floor {
			floor = f
		}
	}
	for _, e := range q.entries {
		if e.state == sent {
			note(e.floor)
		}
	}
	if q.read.under {
		note(q.read.floor)
	}
	for key, t := range q.tombs {
		if floor < 0 || t.known <= floor {
			delete(q.tombs, key)
		}
	}
}
