package quiet_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/systems"
)

// fake is a lock service in memory, whose servers use what there are sessions
// for. It can be broken in several ways.
type fake struct {
	losing  int  // each so many-th session is lost before its release
	refused int  // each so many-th session is not let in
	open    bool // everybody has the name of the queue at once

	mu       sync.Mutex // guards what follows
	opened   int
	sessions int // that are open
	most     int // that there were at once
	waiting  int
	fence    int64
	begin    time.Time
	names    map[string]chan struct{}
}

func (f *fake) Open(context.Context, systems.Worker) (systems.Locker, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened++
	if f.refused > 0 && f.opened%f.refused == 0 {
		return nil, errors.New("too many")
	}
	f.sessions++
	f.most = max(f.most, f.sessions)
	return &fakeLocker{fake: f, lost: f.losing > 0 && f.opened%f.losing == 0}, nil
}

func (f *fake) Close() error { return nil }

// Read has the daemon use 1,000 bytes a session and 1 and etcd 2,000, and half
// of a processor; a lease is renewed twice a second.
func (f *fake) Read(context.Context) (systems.Reading, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if f.begin.IsZero() {
		f.begin = now
	}
	passed := now.Sub(f.begin)
	return systems.Reading{
		At:       now,
		Daemon:   servers.Usage{Resident: 5e6 + int64(f.sessions)*1000, Anonymous: 3e6 + int64(f.sessions)*1000, CPU: passed / 2},
		Etcd:     servers.Usage{Resident: 9e6 + int64(f.sessions)*2000, Anonymous: 8e6 + int64(f.sessions)*2000, CPU: passed / 2},
		Counters: servers.Counters{Leases: f.sessions, Renewals: int(1000 * passed.Seconds())},
	}, nil
}

func (f *fake) Waiting(context.Context, string) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting, nil
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

func (f *fake) wait(by int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting += by
}

func (f *fake) next() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fence++
	return f.fence
}

type fakeLocker struct {
	fake *fake
	name chan struct{}
	lost bool
}

func (l *fakeLocker) Acquire(ctx context.Context, name string) (int64, error) {
	l.name = l.fake.name(name)
	if l.fake.open {
		return l.fake.next(), nil
	}
	l.fake.wait(1)
	defer l.fake.wait(-1)
	select {
	case l.name <- struct{}{}:
		return l.fake.next(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("wait: %w", context.Cause(ctx))
	}
}

func (l *fakeLocker) Release(context.Context) error {
	if l.lost {
		return errors.New("lost")
	}
	if !l.fake.open {
		<-l.name
	}
	return nil
}

func (l *fakeLocker) Close() error {
	l.fake.mu.Lock()
	defer l.fake.mu.Unlock()
	l.fake.sessions--
	return nil
}
