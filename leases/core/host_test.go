package core

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"lockside/leases/keys"
)

// A host is one machine with the network around it, as the Service is with
// etcd. It checks each grant against the history that all hosts share.
type host struct {
	net     *network
	cfg     Config
	m       *Machine
	history *history
	offset  time.Duration // of this host's boot clock
	watches map[uint64]*modelWatch
	alarm   time.Duration
	dead    bool          // crashed: nothing is delivered any more
	asleep  time.Duration // until when it is suspended
	ids     *int64
}

func newHost(net *network, h *history, ids *int64, offset time.Duration) *host {
	ho := &host{net: net, history: h, offset: offset, watches: map[uint64]*modelWatch{}, ids: ids}
	ho.cfg = Config{
		DefaultTTL: 3 * time.Second, Prefix: modelPrefix,
		Window: 1 + net.rand.IntN(4), EntriesPerLease: []int{2, 12}[net.rand.IntN(2)],
		BatchOps: 20, BatchesInFlight: 3, PollEvery: time.Second, ReconcileEvery: 2 * time.Second,
		IdleLease: 5 * time.Second, RequestTimeout: 2 * time.Second,
		LeaseID: func() int64 { *ids++; return *ids },
	}
	ho.m = New(ho.cfg)
	ho.step(Tick{})
	return ho
}

// step feeds the machine and carries out what it says, as Service.step does. A
// host that sleeps does so when it wakes up, and must be true to time then.
func (h *host) step(ev Event) {
	now := h.net.etcd.now
	switch {
	case h.dead:
		return
	case h.asleep > now:
		h.net.after(h.asleep-now, func() { h.step(ev) })
		return
	}
	for _, a := range h.m.Step(now+h.offset, ev) {
		h.perform(a)
	}
	if h.asleep > 0 {
		h.asleep = 0
		h.history.awake(h)
	}
	if next := h.m.Next(); next != 0 && (h.alarm == 0 || next < h.alarm) {
		h.alarm = next
		h.net.after(max(next-h.offset-h.net.etcd.now, 0), func() {
			h.alarm = 0
			h.step(Tick{})
		})
	}
}

func (h *host) perform(a Action) {
	e := h.net.etcd
	sent := e.now + h.offset
	switch a := a.(type) {
	case Granted:
		h.history.granted(h, a)
	case Refused:
		h.history.refused(h, a)
	case Released:
		h.history.released(h, a)
	case Lost:
		h.history.lost(h, a)
	case GrantLease:
		h.net.rpc(func() Event {
			return LeaseGranted{a.Lease, a.TTL, sent, !e.grant(a.Lease, a.TTL)}
		}, h.step, GrantFailed{a.Lease})
	case RenewLease:
		h.renew(a, sent)
	case RevokeLease:
		h.revoke(a.Lease)
	case FenceLease:
		h.net.rpc(func() Event { return h.fence(a.Lease) }, h.step, FenceFailed{a.Lease})
	case ProbeLease:
		h.net.rpc(func() Event {
			if e.leases[a.Lease] == nil {
				return LeaseEnded{a.Lease}
			}
			return LeaseAlive{a.Lease}
		}, h.step, LeaseAlive{a.Lease})
	case ListLease:
		h.net.rpc(func() Event { return h.list(a.Lease) }, h.step, Tick{})
	case Commit:
		h.commit(a.Batch)
	case ReadQueues:
		h.net.rpc(func() Event { return h.read(a) }, h.step, ReadFailed{a.Read})
	case OpenWatch:
		h.openWatch(a)
	case CloseWatch:
		h.closeWatch(a.Watch)
	}
}

// renew makes an attempt, which may be answered after it has failed.
func (h *host) renew(a RenewLease, sent time.Duration) {
	do := func() Event {
		if ttl := h.net.etcd.renew(a.Lease); ttl > 0 {
			return LeaseRenewed{Lease: a.Lease, TTL: ttl, Sent: sent}
		}
		return LeaseEnded{a.Lease}
	}
	h.net.rpcWaitedFor(do, h.step, RenewFailed{a.Lease}, func(ev Event) {
		if renewed, ok := ev.(LeaseRenewed); ok {
			renewed.Late = true
			ev = renewed
		}
		h.step(ev)
	})
}

// commit sends a batch, which now and then is refused or not even sent.
func (h *host) commit(b *Batch) {
	if h.net.lost() {
		cause := []Failure{NotSent, Forbidden}[h.net.rand.IntN(2)]
		h.net.after(h.net.delay(), func() { h.step(BatchFailed{b.ID, cause, errRefused}) })
		return
	}
	h.net.rpc(func() Event { return h.net.etcd.commit(b) }, h.step, BatchUnknown{b.ID})
}

var errRefused = errors.New("refused by chance")

func (h *host) revoke(lease int64) {
	retry := func(ev Event) {
		if _, failed := ev.(Tick); failed && !h.dead {
			h.revoke(lease)
			return
		}
		h.step(ev)
	}
	h.net.rpc(func() Event { h.net.etcd.revoke(lease); return LeaseEnded{lease} }, retry, Tick{})
}

func (h *host) fence(lease int64) Event {
	e := h.net.etcd
	if e.leases[lease] == nil {
		return LeaseEnded{lease}
	}
	if e.full > e.now {
		return FenceFailed{lease}
	}
	e.revision++
	e.put(keys.Epoch(modelPrefix, lease), lease)
	return LeaseFenced{lease, e.revision}
}

func (h *host) list(lease int64) Event {
	e := h.net.etcd
	if e.leases[lease] == nil {
		return LeaseEnded{lease}
	}
	listed := LeaseListed{Lease: lease}
	for key, k := range e.keys {
		if k.lease == lease {
			listed.Keys = append(listed.Keys, key)
		}
	}
	return listed
}

func (h *host) read(a ReadQueues) Event {
	ev := QueuesRead{Read: a.Read, Revision: h.net.etcd.revision}
	for _, name := range a.Names {
		ev.Queues = append(ev.Queues, Queue{name, h.net.etcd.look(keys.Queue(modelPrefix, name))})
	}
	return ev
}

// openWatch watches after a delay; now and then it never gets ready, or breaks
// off later.
func (h *host) openWatch(a OpenWatch) {
	w := &modelWatch{host: h, id: a.Watch, prefix: keys.Queue(modelPrefix, a.Name)}
	h.watches[a.Watch] = w
	h.net.after(h.net.delay(), func() {
		if h.watches[a.Watch] != w {
			return
		}
		if h.net.lost() {
			h.breakWatch(w)
			return
		}
		w.ready = true
		h.net.etcd.watches = append(h.net.etcd.watches, w)
		h.net.after(h.net.delay(), func() { h.step(WatchReady{w.id}) })
		if h.net.lost() {
			h.net.after(time.Duration(h.net.rand.IntN(2000))*time.Millisecond, func() { h.breakWatch(w) })
		}
	})
}

func (h *host) breakWatch(w *modelWatch) {
	if h.watches[w.id] == w {
		h.closeWatch(w.id)
		h.net.after(h.net.delay(), func() { h.step(WatchGone{w.id}) })
	}
}

func (h *host) closeWatch(id uint64) {
	if w := h.watches[id]; w != nil {
		w.ready = false
		delete(h.watches, id)
	}
}

// watchEvents delivers one change; changes of one watch keep their order by
// taking the same time each, but one may come twice.
func (h *host) watchEvents(id uint64, c Change) {
	saw := func() { h.step(WatchSaw{id, []Change{c}}) }
	h.net.after(3*time.Millisecond, saw)
	if h.net.lost() {
		h.net.after(h.net.late(), saw)
	}
}

// upgrade has another program go on with what this one knows, after a while in
// which nobody is served. No answer that is under way gets there.
func (h *host) upgrade(gap time.Duration) *host {
	next := &host{net: h.net, cfg: h.cfg, history: h.history, offset: h.offset, watches: map[uint64]*modelWatch{}, ids: h.ids}
	next.m = Thaw(next.cfg, handedOver(h.history.t, h.m.Freeze(h.net.etcd.now+h.offset)))
	h.dead = true
	h.history.upgraded(h, next)
	next.asleep = h.net.etcd.now + gap
	next.step(Tick{})
	return next
}

// handedOver is an image as the next program reads it.
func handedOver(t *testing.T, img *Image) *Image {
	t.Helper()
	text, err := json.Marshal(img)
	if err != nil {
		t.Fatal(err)
	}
	read := new(Image)
	if err := json.Unmarshal(text, read); err != nil {
		t.Fatal(err)
	}
	return read
}

// crash stops a host dead: its clients read end-of-file.
func (h *host) crash() {
	h.dead = true
	h.history.crashed(h)
}
