package etcd

import (
	"errors"
	"time"
)

// Pauses before a broken watch stream is opened again. There is none after a
// stream that lasted longer than that.
const (
	firstReopen = 50 * time.Millisecond
	lastReopen  = time.Second
)

// run keeps a stream open while there is something to watch.
func (w *Watcher) run() {
	defer close(w.done)
	defer w.cancel()
	var last *endpoint
	pause := time.Duration(0)
	for w.awaitWork(pause) {
		began := time.Now()
		e, err := w.choose(last)
		if err == nil {
			err = w.serve(e)
			last = e
		}
		if w.ctx.Err() != nil {
			return
		}
		w.c.logger.Debug("etcd watch stream ended", "error", err)
		w.lose(errors.Is(err, ErrRegressed))
		pause = min(max(2*pause, firstReopen), lastReopen)
		if time.Since(began) > lastReopen {
			pause = 0
		}
	}
}

// awaitWork waits for a pause to pass and then for a watch that has no stream.
// It reports false when the watcher is closed.
func (w *Watcher) awaitWork(pause time.Duration) bool {
	select {
	case <-time.After(pause):
	case <-w.ctx.Done():
		return false
	}
	for !w.hasUnsent() {
		select {
		case <-w.wake:
		case <-w.ctx.Done():
			return false
		}
	}
	return w.ctx.Err() == nil
}

func (w *Watcher) hasUnsent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.unsent) > 0
}

// choose takes the best endpoint but the one whose stream ended last, which may
// answer probes and still be unfit.
func (w *Watcher) choose(last *endpoint) (*endpoint, error) {
	if err := w.c.usable(); err != nil {
		return nil, err
	}
	order, err := w.c.endpoints.ranked()
	if err != nil {
		return nil, err
	}
	if order[0] == last && len(order) > 1 && w.c.endpoints.view(order[1]).healthy {
		return order[1], nil
	}
	return order[0], nil
}

// lose forgets what the ended stream was asked for and tells the owner. With all,
// those go too that no stream has been asked for.
func (w *Watcher) lose(all bool) {
	w.mu.Lock()
	var gone []uint64
	for id := range w.open {
		if _, unsent := w.unsent[id]; !unsent || all {
			gone = append(gone, id)
			delete(w.open, id)
			delete(w.unsent, id)
		}
	}
	w.cancels, w.asked, w.progress = nil, nil, false
	w.mu.Unlock()
	for _, id := range gone {
		w.handler.WatchGone(id)
	}
}
