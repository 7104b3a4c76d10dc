package fencingtest_test

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
)

// A flaw is one way in which a guard is wrong.
type flaw int

const (
	sound          flaw = iota
	asText              // numbers are compared as text
	asFloat             // numbers are compared as floating point
	onlyGreater         // a holder writes once and no more
	noClaim             // a claim checks, and raises nothing
	writesAnyway        // a refused write is done
	unchecked           // a write is not checked
	inTwoSteps          // checked, and then written
	forgets             // a restart forgets the watermark
	staleIfUnknown      // no such resource is told to be stale
	anyCluster          // clusters are not looked at
	anyToken            // the zero token is let in
	againOnce           // a second write of a grant is done
	notUndone           // a write that fails stays half done
	staleIfSpent        // a second write of a grant is told to be stale
	otherHighest        // the refusal tells a wrong number
)

var errFailed = errors.New("the write failed")

// A write sets the value, and may fail then.
type write struct {
	value string
	fails bool
}

// memory is a resource in memory, with at most one flaw.
type memory struct {
	flaw   flaw
	exists bool

	mu    sync.Mutex // guards what follows
	mark  fencing.Watermark
	value string
}

func (m *memory) Claim(_ context.Context, t fencing.Token) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next, err := m.admitLocked(t)
	if err == nil && m.flaw != noClaim {
		m.mark = next
	}
	return err
}

func (m *memory) Write(_ context.Context, t fencing.Token, w write) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next, err := m.admitLocked(t)
	if m.flaw == unchecked {
		next, err = m.mark, nil
	}
	if m.flaw == onlyGreater && err == nil && m.value != "" && t == m.mark.Highest {
		err = &fencing.StaleError{Token: t, Highest: m.mark.Highest}
	}
	if m.flaw == inTwoSteps {
		m.mu.Unlock()
		for range 100 {
			runtime.Gosched() // others write
		}
		m.mu.Lock()
	}
	return m.doLocked(next, err, w)
}

func (m *memory) WriteOnce(_ context.Context, t fencing.Token, w write) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next, err := m.mark.AdmitOnce(t)
	switch {
	case m.flaw == againOnce && errors.Is(err, fencing.ErrSpent):
		err = nil
	case m.flaw == staleIfSpent && errors.Is(err, fencing.ErrSpent):
		err = &fencing.StaleError{Token: t, Highest: m.mark.Highest}
	}
	return m.doLocked(next, err, w)
}

// doLocked writes what was admitted.
func (m *memory) doLocked(next fencing.Watermark, err error, w write) error {
	switch {
	case err != nil && m.flaw == writesAnyway:
		m.value = w.value
		return err
	case err != nil:
		return err
	case w.fails && m.flaw == notUndone:
		m.value = w.value
		return errFailed
	case w.fails:
		return errFailed
	}
	m.mark, m.value = next, w.value
	return nil
}

// admitLocked is the rule, with flaws.
func (m *memory) admitLocked(t fencing.Token) (fencing.Watermark, error) {
	if !m.exists {
		if m.flaw == staleIfUnknown {
			return m.mark, &fencing.StaleError{Token: t}
		}
		return m.mark, fencing.ErrUnknown
	}
	next, err := m.mark.Admit(t)
	high := m.mark.Highest
	stale := errors.Is(err, fencing.ErrStale)
	switch {
	case m.flaw == anyToken && errors.Is(err, fencing.ErrToken):
		return m.mark, nil
	case m.flaw == anyCluster && errors.Is(err, fencing.ErrCluster):
		return fencing.Watermark{Highest: t}, nil
	case m.flaw == otherHighest && stale:
		return m.mark, &fencing.StaleError{Token: t, Highest: t}
	case m.flaw == asText && !high.IsZero() && t.String() < high.String():
		return m.mark, &fencing.StaleError{Token: t, Highest: high}
	case m.flaw == asText && stale, m.flaw == asFloat && stale && float64(t.Fence) >= float64(high.Fence):
		return fencing.Watermark{Highest: t}, nil
	}
	return next, err
}

// resource is the suite's view of a new one.
func resource(f flaw) *fencingtest.Resource[write] {
	m := &memory{flaw: f, exists: true}
	var tokens fencingtest.Tokens
	return &fencingtest.Resource[write]{
		Grant: func(context.Context) (fencingtest.Holder[write], error) {
			return fencingtest.Holder[write]{Guard: m, Token: tokens.Next()}, nil
		},
		Set:  func(value string) write { return write{value: value} },
		Fail: func(value string) write { return write{value: value, fails: true} },
		Value: func(context.Context) (string, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.value, nil
		},
		Restart: func(context.Context) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			if f == forgets {
				m.mark = fencing.Watermark{}
			}
			return nil
		},
		LoseReply: func(ctx context.Context, call func(context.Context) error) error {
			_ = call(ctx) // its answer is lost
			return context.DeadlineExceeded
		},
		Unknown: &memory{flaw: f},
	}
}
