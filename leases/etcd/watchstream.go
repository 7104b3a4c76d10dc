package etcd

import (
	"context"
	"errors"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// A member that is frozen, or cut off, or whose watch path hangs, says nothing,
// and neither does a healthy one when nothing changes. So while a watch is open a
// silent stream is asked for its progress, and ended when it stays silent.
const (
	listenEvery = 500 * time.Millisecond
	askAfter    = time.Second
	endAfter    = 3 * time.Second
)

var errSilent = errors.New("watch stream silent")

// serve runs one stream at an endpoint until it ends, and tells why it did.
func (w *Watcher) serve(e *endpoint) error {
	ctx, cancel := context.WithCancelCause(w.ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel(nil)
	w.mark()
	wait.Go(func() { w.listen(ctx, cancel) })

	stream, err := w.connect(ctx, e)
	if err == nil {
		defer stream.conn.Close()
		wait.Go(func() { w.send(ctx, stream) })
		err = w.receive(stream)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if !staleToken(err) {
		w.c.report(w.ctx, e, err)
	}
	return err
}

// watchStream is one Watch stream, on a connection of its own.
type watchStream struct {
	pb.Watch_WatchClient
	at    *endpoint
	conn  *grpc.ClientConn
	token string // sent when the stream was opened, and good for all its watches or none
}

func (w *Watcher) connect(ctx context.Context, e *endpoint) (*watchStream, error) {
	if _, err := w.c.admit(ctx, e); err != nil {
		return nil, err
	}
	conn, err := e.dialer.dial()
	if err != nil {
		return nil, err
	}
	s := &watchStream{at: e, conn: conn}
	if s.token, err = e.login.ensure(ctx, conn); err == nil {
		s.Watch_WatchClient, err = pb.NewWatchClient(conn).Watch(requireLeader(ctx))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

// listen asks for progress and cancels the stream when it is silent. It runs
// beside send, which blocks when the server stops reading.
func (w *Watcher) listen(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(listenEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if w.silent() {
			cancel(errSilent)
			return
		}
	}
}

// silent reports whether the stream has been so for too long, and asks for its
// progress before that. A server does not answer for a stream without watches.
func (w *Watcher) silent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.open) == 0 {
		w.heard = time.Now()
		return false
	}
	silence := time.Since(w.heard)
	if silence >= askAfter {
		w.progress = true
		w.signal()
	}
	return silence >= endAfter
}

// mark notes that the stream has brought something.
func (w *Watcher) mark() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = time.Now()
}

// send sends what is due until the stream ends; why it ended, receive learns.
func (w *Watcher) send(ctx context.Context, stream *watchStream) {
	for {
		for _, req := range w.requests() {
			if err := stream.Send(req); err != nil {
				return
			}
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return
		}
	}
}

// receive takes in responses until the stream ends.
func (w *Watcher) receive(stream *watchStream) error {
	for {
		resp, err := stream.Recv()
		if err != nil {
			stream.at.login.expire(stream.token, err)
			return err
		}
		w.mark()
		if err := w.take(stream, resp); err != nil {
			return err
		}
	}
}
