package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"lockside/fencing/lab/systems"
)

const (
	// releaseTimeout bounds a release, which the end of the time does not end.
	releaseTimeout = 10 * time.Second

	// errorPause keeps a worker from failing without end.
	errorPause = 50 * time.Millisecond
)

// A worker goes round and round for one name.
type worker struct {
	systems.Worker
	id      int // from 1
	name    string
	checker *Checker
	open    func(ctx context.Context, w systems.Worker) (systems.Locker, error)
	window  *window
	locker  systems.Locker // nil when it could not be opened

	cycles     []cycle
	handOffs   int
	unfinished time.Duration // the wait that the end cut short
	errors     map[string]int
}

// run cycles until ctx ends. After an error it begins with a new locker, since
// what the old one has is unknown.
func (w *worker) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := w.cycle(ctx)
		if err == nil || ctx.Err() != nil && errors.Is(err, errCut) {
			continue
		}
		w.fail(err)
		w.close()
		select {
		case <-time.After(errorPause):
			w.connect(ctx)
		case <-ctx.Done():
		}
	}
}

// errCut is for a wait that ended because the time did.
var errCut = errors.New("cut short")

// errUnopened is for a worker whose locker could not be opened again.
var errUnopened = errors.New("no locker")

func (w *worker) cycle(ctx context.Context) error {
	if w.locker == nil {
		return errUnopened
	}
	begin := time.Now()
	fence, err := w.locker.Acquire(ctx, w.name)
	granted := time.Now()
	if err != nil {
		if ctx.Err() != nil {
			w.unfinished = granted.Sub(begin)
			return errCut
		}
		return err
	}
	handOff := w.checker.Enter(w.id, fence)
	runtime.Gosched() // gives others the chance to be here at the same time
	w.checker.Leave()
	if err := w.release(ctx); err != nil {
		return err
	}
	if end := time.Now(); w.window.admits(end) {
		w.record(cycle{end: end, acquire: granted.Sub(begin), whole: end.Sub(begin)}, handOff)
	}
	return nil
}

func (w *worker) record(c cycle, handOff bool) {
	w.cycles = append(w.cycles, c)
	if handOff {
		w.handOffs++
	}
}

func (w *worker) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	return w.locker.Release(ctx)
}

// prepare opens the worker's locker and goes one round with a name that nobody
// else wants, for many clients and servers do on first use what they could have
// done before.
func (w *worker) prepare(ctx context.Context) {
	w.connect(ctx)
	if w.locker == nil {
		return
	}
	_, err := w.locker.Acquire(ctx, fmt.Sprintf("%s-first-%d", w.name, w.id))
	if err == nil {
		err = w.release(ctx)
	}
	if err != nil && ctx.Err() == nil {
		w.fail(err)
		w.close()
		w.connect(ctx)
	}
}

// connect opens the worker's locker.
func (w *worker) connect(ctx context.Context) {
	locker, err := w.open(ctx, w.Worker)
	if err != nil {
		if ctx.Err() == nil {
			w.fail(err)
		}
		return
	}
	w.locker = locker
}

func (w *worker) close() {
	if w.locker != nil {
		_ = w.locker.Close() // what it had is measured, and the next names are others
		w.locker = nil
	}
}

func (w *worker) fail(err error) {
	if w.errors == nil {
		w.errors = map[string]int{}
	}
	w.errors[err.Error()]++
}
