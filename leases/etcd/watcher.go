package etcd

import (
	"context"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// WatchEvent is one change of one key.
type WatchEvent struct {
	Key            string
	Delete         bool
	CreateRevision int64 // zero for a deletion
	ModRevision    int64 // of a deletion: the revision that deleted the key
}

// WatchHandler receives what a Watcher sees. The calls come one at a time and in
// order, and must not block: all watches wait meanwhile.
type WatchHandler interface {
	// WatchReady tells that every change from now on will be reported. A read
	// that begins after it completes the picture.
	WatchReady(id uint64)

	// WatchEvents brings the changes of one revision or more, up to revision.
	WatchEvents(id uint64, revision int64, events []WatchEvent)

	// WatchGone tells that a watch has ended and may have missed changes. To go
	// on, open another one under a new id; after a refusal that would be refused
	// again at once, so wait a little if the watch never was ready.
	WatchGone(id uint64)
}

// Watcher keeps many watches on one stream, which has a connection of its own so
// that large replies to other calls cannot hold events up. A watch costs a map
// entry here and no goroutine.
//
// All watches start from now. A watch from an earlier revision is served by etcd
// from its slow path, every 100 ms.
type Watcher struct {
	c       *Client
	handler WatchHandler
	ctx     context.Context // ends at Close
	cancel  context.CancelFunc
	done    chan struct{} // closed when run has returned
	wake    chan struct{} // there may be something to send

	mu       sync.Mutex // guards what follows
	open     map[uint64]struct{}
	unsent   map[uint64]string // prefixes of the open watches that no stream has been asked for
	cancels  []uint64          // watches to be cancelled on the stream
	progress bool              // a progress request is due
	asked    []uint64          // watches asked for and not answered, in order
	heard    time.Time         // when the stream last brought anything, or had no reason to
}

// NewWatcher starts a watcher. It waits for no server.
func (c *Client) NewWatcher(h WatchHandler) *Watcher {
	w := &Watcher{
		c:       c,
		handler: h,
		done:    make(chan struct{}),
		wake:    make(chan struct{}, 1),
		open:    make(map[uint64]struct{}),
		unsent:  make(map[uint64]string),
	}
	w.ctx, w.cancel = context.WithCancel(c.ctx)
	c.wait.Go(w.run)
	return w
}

// Open watches every key that begins with a prefix, under an id not used before.
// It never waits; WatchReady follows as soon as a server has the watch.
func (w *Watcher) Open(id uint64, prefix string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.open) == 0 {
		w.heard = time.Now()
	}
	w.open[id] = struct{}{}
	w.unsent[id] = prefix
	w.signal()
}

// Cancel ends a watch. It never waits. No call for the id begins after it.
func (w *Watcher) Cancel(id uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.open[id]; !ok {
		return
	}
	delete(w.open, id)
	if _, ok := w.unsent[id]; ok {
		delete(w.unsent, id)
		return
	}
	w.cancels = append(w.cancels, id)
	w.signal()
}

// Close ends the watcher and waits for it. No call comes after it, and it must
// not be called by the handler.
func (w *Watcher) Close() error {
	w.cancel()
	<-w.done
	return nil
}

func (w *Watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// isOpen reports whether the owner still wants a watch.
func (w *Watcher) isOpen(id uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.open[id]
	return ok
}

// drop forgets one watch that the server ended, and tells the owner.
func (w *Watcher) drop(id uint64) {
	w.mu.Lock()
	_, ok := w.open[id]
	delete(w.open, id)
	w.mu.Unlock()
	if ok {
		w.handler.WatchGone(id)
	}
}

// requests takes what is due to be sent on the stream.
func (w *Watcher) requests() []*pb.WatchRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	var reqs []*pb.WatchRequest
	for _, id := range w.cancels {
		reqs = append(reqs, cancelRequest(id))
	}
	for id, prefix := range w.unsent {
		reqs = append(reqs, createRequest(id, prefix))
		w.asked = append(w.asked, id)
	}
	if w.progress {
		reqs = append(reqs, progressRequest())
	}
	clear(w.unsent)
	w.cancels, w.progress = nil, false
	return reqs
}
