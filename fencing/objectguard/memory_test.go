package objectguard_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"lockside/fencing/objectguard"
)

// errLost is a reply that did not come.
var errLost = errors.New("connection reset")

// memory is a store, sound unless something is set.
type memory struct {
	ignoresMatch     bool
	ignoresNoneMatch bool
	inTwoSteps       bool // checks a condition, and then puts
	always           bool // refuses what it does
	takes            time.Duration

	mu      sync.Mutex // guards what follows
	objects map[string][]byte
	puts    int
	after   func(put int) error // is called after a put that was done, unlocked, and answers it
	before  func(put int) error // is called before one, unlocked, and refuses it
}

// tag is as S3 makes it: of what is in the object.
func tag(object []byte) string { return fmt.Sprintf("%q", object) }

func (m *memory) Get(_ context.Context, key string) ([]byte, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	object, found := m.objects[key]
	if !found {
		return nil, "", objectguard.ErrAbsent
	}
	return object, tag(object), nil
}

func (m *memory) Put(_ context.Context, key string, object []byte, etag string) error {
	time.Sleep(m.takes)
	m.mu.Lock()
	m.puts++
	put := m.puts
	m.mu.Unlock()
	if m.before != nil {
		if err := m.before(put); err != nil {
			return err
		}
	}
	if !m.put(key, object, etag) {
		return objectguard.ErrChanged
	}
	if m.after != nil {
		return m.after(put)
	}
	if m.always {
		return objectguard.ErrChanged
	}
	return nil
}

// put reports whether it was done.
func (m *memory) put(key string, object []byte, etag string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, found := m.objects[key]
	switch {
	case etag == "" && found && !m.ignoresNoneMatch:
		return false
	case etag != "" && (!found || tag(old) != etag) && !m.ignoresMatch:
		return false
	}
	if m.inTwoSteps {
		m.mu.Unlock()
		for range 100 {
			runtime.Gosched()
		}
		m.mu.Lock()
	}
	if m.objects == nil {
		m.objects = map[string][]byte{}
	}
	m.objects[key] = object
	return true
}

func TestProbe(t *testing.T) {
	for name, test := range map[string]struct {
		store *memory
		safe  bool
	}{
		"sound":                          {&memory{}, true},
		"sound, and all puts are resent": {&memory{always: true}, true},
		"ignores If-Match":               {&memory{ignoresMatch: true}, false},
		"ignores If-None-Match":          {&memory{ignoresNoneMatch: true}, false},
		"checks in a step of its own":    {&memory{inTwoSteps: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := objectguard.Probe(t.Context(), test.store, "probe")
			if (err == nil) != test.safe || err != nil && !errors.Is(err, objectguard.ErrUnsafe) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestProbeOfWhatIsThere holds that a mistake in using it is no verdict.
func TestProbeOfWhatIsThere(t *testing.T) {
	store := &memory{objects: map[string][]byte{"probe": []byte("data")}}
	err := objectguard.Probe(t.Context(), store, "probe")
	if err == nil || errors.Is(err, objectguard.ErrUnsafe) || string(store.objects["probe"]) != "data" {
		t.Errorf("%v, and it holds %q", err, store.objects["probe"])
	}
	own := errors.New("access denied")
	store = &memory{before: func(int) error { return own }}
	if err := objectguard.Probe(t.Context(), store, "probe"); !errors.Is(err, own) || errors.Is(err, objectguard.ErrUnsafe) {
		t.Errorf("%v", err)
	}
}
