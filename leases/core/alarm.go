package core

import (
	"container/heap"
	"time"
)

// An alarm calls task.ring once the time has come. It belongs to the thing
// that waits: a request, a queue or a lease has one each.
type alarm struct {
	at    time.Duration
	index int // in the heap, plus one; zero is unset
	task  interface{ ring(m *Machine) }
}

// alarms is a heap of alarms, the earliest first.
type alarms []*alarm

func (h alarms) Len() int           { return len(h) }
func (h alarms) Less(i, j int) bool { return h[i].at < h[j].at }
func (h alarms) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i+1, j+1
}

// Push is for package heap.
func (h *alarms) Push(x any) {
	a := x.(*alarm)
	a.index = len(*h) + 1
	*h = append(*h, a)
}

// Pop is for package heap.
func (h *alarms) Pop() any {
	last := len(*h) - 1
	a := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	a.index = 0
	return a
}

// set moves an alarm to a moment; zero unsets it.
func (h *alarms) set(a *alarm, at time.Duration) {
	switch {
	case at == 0 && a.index > 0:
		heap.Remove(h, a.index-1)
	case at == 0:
	case a.index > 0:
		a.at = at
		heap.Fix(h, a.index-1)
	default:
		a.at = at
		heap.Push(h, a)
	}
}

// due takes out the earliest alarm if its moment has come.
func (h *alarms) due(now time.Duration) *alarm {
	if len(*h) == 0 || (*h)[0].at > now {
		return nil
	}
	return heap.Pop(h).(*alarm)
}

// next is the earliest moment, zero if there is none.
func (h alarms) next() time.Duration {
	if len(h) == 0 {
		return 0
	}
	return h[0].at
}
