package core

import (
	"math/rand/v2"
	"slices"
	"time"
)

// A network carries requests to the model and answers back, each after a
// random delay; it loses requests, answers, and delivers late.
type network struct {
	rand  *rand.Rand
	etcd  *model
	calls []call
	seq   int
	bad   float64 // how often something is lost
}

type call struct {
	at  time.Duration
	seq int
	do  func()
}

func (n *network) after(d time.Duration, do func()) {
	n.seq++
	n.calls = append(n.calls, call{n.etcd.now + d, n.seq, do})
}

func (n *network) delay() time.Duration {
	return time.Duration(n.rand.IntN(4000)+1) * time.Microsecond
}

// late is the delay of an answer, now and then long enough for later requests
// to be answered before it.
func (n *network) late() time.Duration {
	if n.lost() {
		return time.Duration(n.rand.IntN(400)) * time.Millisecond
	}
	return n.delay()
}

func (n *network) lost() bool { return n.rand.Float64() < n.bad }

// next takes out the earliest call.
func (n *network) next() (call, bool) {
	best := -1
	for i, c := range n.calls {
		if best < 0 || c.at < n.calls[best].at || c.at == n.calls[best].at && c.seq < n.calls[best].seq {
			best = i
		}
	}
	if best < 0 {
		return call{}, false
	}
	c := n.calls[best]
	n.calls = slices.Delete(n.calls, best, best+1)
	return c, true
}

// rpc sends a request that is carried out at the model, then answered. With
// bad luck the caller hears of a failure while the request is lost, is done
// already, or is done later.
func (n *network) rpc(do func() Event, answer func(Event), failed Event) {
	n.rpcWaitedFor(do, answer, failed, func(Event) {})
}

// rpcWaitedFor is an rpc whose answer may come after its failure.
func (n *network) rpcWaitedFor(do func() Event, answer func(Event), failed Event, late func(Event)) {
	told := false
	doLate := func() {
		ev := do()
		n.after(n.late(), func() {
			if told {
				late(ev)
			}
		})
	}
	switch {
	case !n.lost():
		n.after(n.delay(), func() {
			ev := do()
			n.after(n.late(), func() { answer(ev) })
		})
		return
	case n.rand.IntN(3) == 0:
		// Never done.
	case n.rand.IntN(2) == 0:
		n.after(n.delay(), doLate)
	default:
		n.after(time.Duration(n.rand.IntN(3000))*time.Millisecond, doLate)
	}
	n.after(time.Duration(n.rand.IntN(500))*time.Millisecond, func() { told = true; answer(failed) })
}
