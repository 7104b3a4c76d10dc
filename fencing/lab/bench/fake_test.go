package bench_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"lockside/fencing/lab/systems"
)

// fake is a lock service in memory, which can be broken in several ways.
type fake struct {
	open      bool  // everybody has every name at once
	backwards bool  // fences fall
	failing   int64 // each so many-th acquire fails
	hogged    bool  // the first who has a name never gives it back

	tiring time.Duration // by which each grant takes longer than the one before

	acquires atomic.Int64
	lockers  atomic.Int64 // that are not closed

	mu    sync.Mutex // guards what follows
	names map[string]chan struct{}
	fence int64
}

// name is full while somebody has the name.
func (f *fake) name(name string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names == nil {
		f.names = map[string]chan struct{}{}
	}
	if f.names[name] == nil {
		f.names[name] = make(chan struct{}, 1)
	}
	return f.names[name]
}

func (f *fake) next() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fence++
	if f.backwards {
		return 1<<40 - f.fence
	}
	return f.fence
}

func (f *fake) Open(context.Context, systems.Worker) (systems.Locker, error) {
	f.lockers.Add(1)
	return &fakeLocker{fake: f}, nil
}

func (f *fake) Close() error { return nil }

type fakeLocker struct {
	fake *fake
	name chan struct{}
}

func (l *fakeLocker) Acquire(ctx context.Context, name string) (int64, error) {
	n := l.fake.acquires.Add(1)
	if l.fake.failing > 0 && n%l.fake.failing == 0 {
		return 0, errors.New("out of order")
	}
	l.name = l.fake.name(name)
	if l.fake.open {
		return l.fake.next(), nil
	}
	select {
	case l.name <- struct{}{}:
		time.Sleep(time.Duration(n) * l.fake.tiring)
		return l.fake.next(), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (l *fakeLocker) Release(ctx context.Context) error {
	switch {
	case l.fake.open:
	case l.fake.hogged:
		return errors.New("kept")
	default:
		<-l.name
	}
	return nil
}

func (l *fakeLocker) Close() error {
	l.fake.lockers.Add(-1)
	return nil
}
