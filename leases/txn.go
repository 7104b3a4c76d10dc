package leases

import (
	"context"
	"errors"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"lockside/leases/core"
	"lockside/leases/etcd"
	"lockside/leases/keys"
)

// readTime bounds a read of queues.
const readTime = 5 * time.Second

// dispatch has a batch committed by a goroutine that waits for one, or by a new
// one, and never waits. New ones alone would grow their stacks each time.
func (s *Service) dispatch(b *core.Batch) {
	select {
	case s.batches <- b:
	default:
		s.work.Go(func() { s.committer(b) })
	}
}

// committer commits a batch, and others that come, until the Service is closed.
// There are as many as there were batches in flight at once.
func (s *Service) committer(b *core.Batch) {
	for {
		s.commit(b)
		select {
		case b = <-s.batches:
		case <-s.ctx.Done():
			return
		}
	}
}

// commit sends a batch and feeds back what became of it.
func (s *Service) commit(b *core.Batch) {
	resp, err := s.etcd.Txn(s.ctx, s.request(b))
	switch {
	case err != nil:
		s.object(err)
		s.trouble("Batch not committed", err, "puts", len(b.Puts), "drops", len(b.Drops))
		s.step(failure(b, err))
	case resp.Succeeded:
		s.step(applied(b, resp))
	default:
		s.step(refused(b, resp))
	}
}

// request is the Txn of a batch: guarded by each key, and by the epoch if it puts
// something, it deletes, puts, and looks, in this order; if a guard does not hold,
// it reads what the guards were about.
func (s *Service) request(b *core.Batch) *pb.TxnRequest {
	req := &pb.TxnRequest{}
	if len(b.Puts) > 0 {
		epoch := keys.Epoch(s.prefix, b.Lease)
		req.Compare = append(req.Compare, modified(epoch, b.Epoch))
		req.Failure = append(req.Failure, get(epoch, ""))
	}
	for _, d := range b.Drops {
		req.Success = append(req.Success, del(d.Key))
	}
	for _, p := range b.Puts {
		queue := keys.Queue(s.prefix, p.Queue)
		req.Success = append(req.Success, put(p.Key, p.Value, b.Lease))
		if p.Empty {
			req.Compare = append(req.Compare, created(queue, keys.End(queue), 0))
			req.Failure = append(req.Failure, get(queue, keys.End(queue)))
			continue
		}
		req.Compare = append(req.Compare, created(p.Key, "", 0))
		req.Failure = append(req.Failure, get(p.Key, ""))
		req.Success = append(req.Success, get(queue, keys.End(queue)))
	}
	for _, d := range b.Drops {
		req.Compare = append(req.Compare, created(d.Key, "", d.Created))
		req.Failure = append(req.Failure, get(d.Key, ""))
	}
	return req
}

func applied(b *core.Batch, resp *pb.TxnResponse) core.Event {
	ev := core.BatchApplied{Batch: b.ID, Revision: resp.Header.Revision}
	for _, r := range resp.Responses {
		if look := r.GetResponseRange(); look != nil {
			ev.Looks = append(ev.Looks, shown(look))
		}
	}
	return ev
}

func refused(b *core.Batch, resp *pb.TxnResponse) core.Event {
	ev := core.BatchRefused{Batch: b.ID, Revision: resp.Header.Revision}
	for _, r := range resp.Responses {
		ev.Found = append(ev.Found, shown(r.GetResponseRange()))
	}
	if len(b.Puts) > 0 {
		for _, epoch := range ev.Found[0] {
			ev.Epoch = epoch.Modified
		}
		ev.Found = ev.Found[1:]
	}
	return ev
}

// failure tells a batch that was certainly not done from one of which nobody
// knows. When in doubt it is the latter.
func failure(b *core.Batch, err error) core.Event {
	failed := func(cause core.Failure) core.Event {
		return core.BatchFailed{Batch: b.ID, Cause: cause, Err: err}
	}
	switch {
	case errors.Is(err, etcd.ErrUnknownOutcome), errors.Is(err, etcd.ErrRegressed):
		return core.BatchUnknown{Batch: b.ID}
	case errors.Is(err, etcd.ErrNotSent):
		return failed(core.NotSent)
	case errors.Is(err, etcd.ErrLeaseNotFound):
		return failed(core.NoLease)
	case errors.Is(err, etcd.ErrTooLarge):
		return failed(core.TooLarge)
	case errors.Is(err, etcd.ErrDenied), errors.Is(err, etcd.ErrRefused):
		return failed(core.Forbidden)
	case errors.Is(err, etcd.ErrServerTooOld), errors.Is(err, etcd.ErrClosed):
		return failed(core.NotSent)
	}
	return core.BatchUnknown{Batch: b.ID}
}

// readQueues reads queues at one revision, with the leases of the entries, by
// which the core knows its own.
func (s *Service) readQueues(a core.ReadQueues) {
	req := &pb.TxnRequest{}
	for _, name := range a.Names {
		queue := keys.Queue(s.prefix, name)
		req.Success = append(req.Success, getWhole(queue, keys.End(queue)))
	}
	ctx, cancel := context.WithTimeout(s.ctx, readTime)
	defer cancel()
	resp, err := s.etcd.Read(ctx, req)
	if err != nil {
		s.trouble("Queues not read", err)
		s.step(core.ReadFailed{Read: a.Read})
		return
	}
	ev := core.QueuesRead{Read: a.Read, Revision: resp.Header.Revision}
	for i, name := range a.Names {
		ev.Queues = append(ev.Queues, core.Queue{Name: name, Keys: shown(resp.Responses[i].GetResponseRange())})
	}
	s.step(ev)
}

func shown(r *pb.RangeResponse) []core.Key {
	list := make([]core.Key, len(r.Kvs))
	for i, kv := range r.Kvs {
		list[i] = core.Key{Key: string(kv.Key), Created: kv.CreateRevision, Modified: kv.ModRevision, Lease: kv.Lease}
	}
	return list
}
