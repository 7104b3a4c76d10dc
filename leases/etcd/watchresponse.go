package etcd

import (
	"fmt"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

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
		return fmt.Errorf("watch %d answered as %d: etcd must be reached directly, not through its gRPC proxy", id, ownerID(resp.WatchId))
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
