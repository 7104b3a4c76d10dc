package core

import (
	"errors"
	"slices"
	"strings"
	"time"

	"lockside/leases/keys"
)

// A model is etcd as far as locks need it: one revision a Txn that changes
// something, create and mod revisions, leases that end with their keys, and
// watches that tell of changes in order.
type model struct {
	now      time.Duration
	revision int64
	keys     map[string]modelKey
	leases   map[int64]*modelLease
	watches  []*modelWatch
	maxOps   int               // in one Txn
	full     time.Duration     // until when nothing can be put
	dropped  func(key string)  // told of a deletion by a batch
	expired  func(lease int64) // told before a lease ends by itself
}

type modelKey struct {
	created, modified, lease int64
}

type modelLease struct {
	ttl, ends time.Duration
}

type modelWatch struct {
	host   *host
	id     uint64
	prefix string
	ready  bool
}

func newModel() *model {
	return &model{revision: 1, maxOps: 128, keys: map[string]modelKey{}, leases: map[int64]*modelLease{}}
}

func (e *model) grant(id int64, ttl time.Duration) bool {
	if e.leases[id] != nil {
		return false
	}
	e.leases[id] = &modelLease{ttl, e.now + ttl}
	return true
}

// renew reports the TTL, zero for a lease that is not there.
func (e *model) renew(id int64) time.Duration {
	l := e.leases[id]
	if l == nil {
		return 0
	}
	l.ends = e.now + l.ttl
	return l.ttl
}

// revoke ends a lease and deletes its keys in one revision.
func (e *model) revoke(id int64) {
	delete(e.leases, id)
	var doomed []string
	for key, k := range e.keys {
		if k.lease == id {
			doomed = append(doomed, key)
		}
	}
	if len(doomed) > 0 {
		e.revision++
		slices.Sort(doomed)
		for _, key := range doomed {
			e.delete(key)
		}
	}
}

// expire ends what is past its time.
func (e *model) expire() {
	var over []int64
	for id, l := range e.leases {
		if l.ends <= e.now {
			over = append(over, id)
		}
	}
	slices.Sort(over)
	for _, id := range over {
		e.expired(id)
		e.revoke(id)
	}
}

// put and delete belong to the revision that the caller has begun.
func (e *model) put(key string, lease int64) {
	k, ok := e.keys[key]
	if !ok {
		k.created = e.revision
	}
	k.modified, k.lease = e.revision, lease
	e.keys[key] = k
	e.tell(Change{Key: key, Created: k.created, Revision: e.revision})
}

func (e *model) delete(key string) {
	delete(e.keys, key)
	e.tell(Change{Key: key, Deleted: true, Revision: e.revision})
}

func (e *model) tell(c Change) {
	for _, w := range e.watches {
		if w.ready && strings.HasPrefix(c.Key, w.prefix) {
			w.host.watchEvents(w.id, c)
		}
	}
}

// look is the keys below a prefix by create revision.
func (e *model) look(prefix string) []Key {
	var list []Key
	for key, k := range e.keys {
		if strings.HasPrefix(key, prefix) {
			list = append(list, Key{key, k.created, k.modified, k.lease})
		}
	}
	slices.SortFunc(list, func(a, b Key) int { return int(a.Created - b.Created) })
	return list
}

// commit is the Txn of a batch, as the Service writes it. Without the lease the
// epoch key is gone too, so that its guard fails, unless somebody wrote it.
func (e *model) commit(b *Batch) Event {
	if b.size() > e.maxOps {
		return BatchFailed{Batch: b.ID, Cause: TooLarge, Err: errors.New("too many operations")}
	}
	if e.full > e.now && len(b.Puts) > 0 {
		return BatchUnknown{b.ID} // etcd may have applied what it refuses for want of space
	}
	if e.holds(b) {
		if len(b.Puts) > 0 && e.leases[b.Lease] == nil {
			return BatchFailed{Batch: b.ID, Cause: NoLease}
		}
		e.revision++
		var looks [][]Key
		for _, d := range b.Drops {
			e.dropped(d.Key)
			e.delete(d.Key)
		}
		for _, p := range b.Puts {
			e.put(p.Key, b.Lease)
			if !p.Empty {
				looks = append(looks, e.look(keys.Queue(modelPrefix, p.Queue)))
			}
		}
		return BatchApplied{b.ID, e.revision, looks}
	}
	refused := BatchRefused{Batch: b.ID, Revision: e.revision}
	if len(b.Puts) > 0 {
		refused.Epoch = e.keys[keys.Epoch(modelPrefix, b.Lease)].modified
	}
	for _, p := range b.Puts {
		if p.Empty {
			refused.Found = append(refused.Found, e.look(keys.Queue(modelPrefix, p.Queue)))
		} else {
			refused.Found = append(refused.Found, e.show(p.Key))
		}
	}
	for _, d := range b.Drops {
		refused.Found = append(refused.Found, e.show(d.Key))
	}
	return refused
}

// size is the number of a batch's operations, as the Service writes it.
func (b *Batch) size() int {
	n := len(b.Puts) + len(b.Drops)
	for _, p := range b.Puts {
		if !p.Empty {
			n++
		}
	}
	return n
}

// show is what there is under one key.
func (e *model) show(key string) []Key {
	k, ok := e.keys[key]
	if !ok {
		return nil
	}
	return []Key{{key, k.created, k.modified, k.lease}}
}

func (e *model) holds(b *Batch) bool {
	if len(b.Puts) > 0 && e.keys[keys.Epoch(modelPrefix, b.Lease)].modified != b.Epoch {
		return false
	}
	for _, p := range b.Puts {
		if e.keys[p.Key].created != 0 || p.Empty && len(e.look(keys.Queue(modelPrefix, p.Queue))) > 0 {
			return false
		}
	}
	for _, d := range b.Drops {
		if e.keys[d.Key].created != d.Created {
			return false
		}
	}
	return true
}

const modelPrefix = "lockside/"
