package leases

import (
	"lockside/leases/core"
	"lockside/leases/etcd"
)

// watchEvents turns what the watcher sees into events of the core.
type watchEvents struct{ service *Service }

var _ etcd.WatchHandler = watchEvents{}

func (w watchEvents) WatchReady(id uint64) { w.service.step(core.WatchReady{Watch: id}) }
func (w watchEvents) WatchGone(id uint64)  { w.service.step(core.WatchGone{Watch: id}) }

func (w watchEvents) WatchEvents(id uint64, _ int64, events []etcd.WatchEvent) {
	saw := core.WatchSaw{Watch: id, Changes: make([]core.Change, len(events))}
	for i, e := range events {
		saw.Changes[i] = core.Change{Key: e.Key, Deleted: e.Delete, Created: e.CreateRevision, Revision: e.ModRevision}
	}
	w.service.step(saw)
}
