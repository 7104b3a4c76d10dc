package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
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

// serve runs one stream at an endpoint until it ends. It reports whether the
// server answered on it.
func (w *Watcher) serve(e *endpoint) (answered bool, err error) {
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
		answered, err = w.receive(stream)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if !staleToken(err) {
		w.c.report(w.ctx, e, err)
	}
	return answered, err
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
func (w *Watcher) receive(stream *watchStream) (answered bool, err error) {
	for {
		resp, err := stream.Recv()
		if err != nil {
			stream.at.login.expire(stream.token, err)
			return answered, err
		}
		answered = true
		w.mark()
		if err := w.take(stream, resp); err != nil {
			return answered, err
		}
	}
}

// take hands one response to the owner.
func (w *Watcher) take(stream *watchStream, resp *pb.WatchResponse) error {
	switch {
	case resp.Created:
		return w.created(stream, resp)
	case resp.Canceled:
		w.drop(ownerID(resp.WatchId))
	case len(resp.Events) > 0 && w.isOpen(ownerID(resp.WatchId)):
		w.handler.WatchEvents(ownerID(resp.WatchId), resp.Header.GetRevision(), watchEvents(resp.Events))
	}
	return nil
}

// created takes the answer to the oldest request for a watch. A refusal names no
// watch, so the order of the answers is what tells.
func (w *Watcher) created(stream *watchStream, resp *pb.WatchResponse) error {
	if err := w.c.memory.judgeCluster(resp.Header); err != nil {
		return err
	}
	id, ok := w.oldestAsked()
	if !ok || !resp.Canceled && resp.WatchId != wireID(id) {
		return fmt.Errorf("watch %d created out of turn", resp.WatchId)
	}
	if !resp.Canceled {
		if w.isOpen(id) {
			w.handler.WatchReady(id)
		}
		return nil
	}
	if stale := staleReason(resp.CancelReason); stream.at.login.expire(stream.token, stale) {
		return stale
	}
	w.c.logger.Warn("etcd refused a watch", "endpoint", stream.at.url, "reason", resp.CancelReason)
	w.drop(id)
	return nil
}

func (w *Watcher) oldestAsked() (uint64, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.asked) == 0 {
		return 0, false
	}
	id := w.asked[0]
	w.asked = w.asked[1:]
	return id, true
}

// staleReason finds a refused token in the text of a refusal.
func staleReason(reason string) error {
	for _, err := range []error{rpctypes.ErrGRPCInvalidAuthToken, rpctypes.ErrGRPCAuthOldRevision, rpctypes.ErrGRPCUserEmpty} {
		if strings.Contains(reason, rpctypes.ErrorDesc(err)) {
			return err
		}
	}
	return nil
}

func watchEvents(events []*mvccpb.Event) []WatchEvent {
	list := make([]WatchEvent, len(events))
	for i, ev := range events {
		list[i] = WatchEvent{
			Key:            string(ev.Kv.Key),
			Delete:         ev.Type == mvccpb.Event_DELETE,
			CreateRevision: ev.Kv.CreateRevision,
			ModRevision:    ev.Kv.ModRevision,
		}
	}
	return list
}
