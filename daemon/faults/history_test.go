package faults_test

import (
	"sync"
	"testing"
)

// A history is what the holders of one name told of themselves, whoever they
// are: the thing that the lock guards.
type history struct {
	t testing.TB

	mu     sync.Mutex // guards what follows
	holder string
	fence  int64
	grants int
}

// enter is called by whoever was granted the name. Nobody may have it (P1), and
// no earlier fence be greater (P2).
func (h *history) enter(who string, fence int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holder != "" {
		h.t.Errorf("%s is granted fence %d while %s has %d", who, fence, h.holder, h.fence)
	}
	if fence <= h.fence {
		h.t.Errorf("%s is granted fence %d after %d", who, fence, h.fence)
	}
	h.holder, h.fence = who, fence
	h.grants++
}

// count is how often the name was granted so far.
func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.grants
}

// leave is called by the holder before it gives the name up.
func (h *history) leave(who string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holder != who {
		h.t.Errorf("%s leaves what %q has", who, h.holder)
	}
	h.holder = ""
}
