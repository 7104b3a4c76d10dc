package durable

import (
	"context"
	"sync"
)

// Turns are locks by name within a process. The zero Turns has none taken.
type Turns struct {
	mu    sync.Mutex // guards what follows
	names map[string]*turn
}

// A turn is the lock of one name while somebody has it or waits for it.
type turn struct {
	free  chan struct{} // holds one value while nobody has it
	users int
}

// Take waits for the lock of a name, until the context ends, whose error it then is.
func (t *Turns) Take(ctx context.Context, name string) (release func(), err error) {
	one := t.use(name)
	select {
	case <-one.free:
		if err := ctx.Err(); err == nil {
			return func() { one.free <- struct{}{}; t.leave(name, one) }, nil
		}
		one.free <- struct{}{}
	case <-ctx.Done():
	}
	t.leave(name, one)
	return nil, ctx.Err()
}

func (t *Turns) use(name string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.names[name]
	if one == nil {
		one = &turn{free: make(chan struct{}, 1)}
		one.free <- struct{}{}
		if t.names == nil {
			t.names = map[string]*turn{}
		}
		t.names[name] = one
	}
	one.users++
	return one
}

func (t *Turns) leave(name string, one *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(t.names, name)
	}
}
