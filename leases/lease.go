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

// Times that calls about leases may take. Each call goes from endpoint to
// endpoint until then.
const (
	grantTime  = 10 * time.Second
	revokeTime = 10 * time.Second
	probeTime  = 5 * time.Second
	fenceTime  = 5 * time.Second
	shortest   = 200 * time.Millisecond // of an attempt to renew
	pause      = 250 * time.Millisecond // between tries to revoke
)

// grant asks for a lease, once its id is written down and the leases of an
// earlier daemon are gone, so that no lock is granted before (P5).
func (s *Service) grant(a core.GrantLease) {
	select {
	case <-s.cleared:
	case <-s.ctx.Done():
		return
	}
	if err := s.state.AddLease(a.Lease); err != nil {
		s.log.Error("Lease not written down", "error", err)
		s.step(core.GrantFailed{Lease: a.Lease})
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, grantTime)
	defer cancel()
	ttl, sent, err := s.etcd.Grant(ctx, a.Lease, a.TTL)
	switch {
	case err == nil:
		s.step(core.LeaseGranted{Lease: a.Lease, TTL: ttl, Sent: sent})
	case errors.Is(err, etcd.ErrLeaseExists):
		s.step(core.LeaseGranted{Lease: a.Lease, Exists: true})
	default:
		s.object(err)
		s.trouble("Lease not granted", err)
		s.step(core.GrantFailed{Lease: a.Lease})
	}
}

func (s *Service) renewalLocked(a core.RenewLease) *etcd.Renewal {
	r := s.renewals[a.Lease]
	if r == nil {
		r = s.etcd.NewRenewal(a.Lease, a.TTL, func(ttl, sent time.Duration, err error) {
			s.renewed(core.LeaseRenewed{Lease: a.Lease, TTL: ttl, Sent: sent, Late: true}, err)
		})
		s.renewals[a.Lease] = r
	}
	return r
}

func (s *Service) endRenewalLocked(lease int64) {
	if r := s.renewals[lease]; r != nil {
		delete(s.renewals, lease)
		s.work.Go(r.Close)
	}
}

// renew makes one attempt, which takes a tenth of the TTL at most, so that
// several fit in before the deadline. What is answered later counts still.
func (s *Service) renew(a core.RenewLease, renewal *etcd.Renewal) {
	ctx, cancel := context.WithTimeout(s.ctx, max(a.TTL/10, shortest))
	defer cancel()
	ttl, sent, err := renewal.Renew(ctx, a.Attempt)
	if err != nil && !errors.Is(err, etcd.ErrLeaseNotFound) {
		s.trouble("Lease not renewed", err, "attempt", a.Attempt)
		s.step(core.RenewFailed{Lease: a.Lease})
		return
	}
	s.renewed(core.LeaseRenewed{Lease: a.Lease, TTL: ttl, Sent: sent}, err)
}

// renewed tells what etcd answered: that the lease lives on, or that there is none.
func (s *Service) renewed(ev core.LeaseRenewed, err error) {
	if err != nil {
		s.step(core.LeaseEnded{Lease: ev.Lease})
		return
	}
	s.step(ev)
}

// revoke tries until etcd says that the lease is gone.
func (s *Service) revoke(lease int64) {
	if s.revokeSurely(lease) {
		s.step(core.LeaseEnded{Lease: lease})
	}
}

// revokeSurely reports false if the Service was closed before etcd answered.
func (s *Service) revokeSurely(lease int64) bool {
	for s.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(s.ctx, revokeTime)
		err := s.etcd.Revoke(ctx, lease)
		cancel()
		if err == nil {
			if err := s.state.RemoveLease(lease); err != nil {
				s.log.Error("Lease not struck out", "error", err)
			}
			return true
		}
		s.trouble("Lease not revoked", err)
		s.sleep(pause)
	}
	return false
}

func (s *Service) sleep(d time.Duration) {
	select {
	case <-s.ctx.Done():
	case <-time.After(d):
	}
}

// revokeLeftBehind ends the leases of a daemon that was killed.
func (s *Service) revokeLeftBehind(left []int64) {
	for _, lease := range left {
		if !s.revokeSurely(lease) {
			return
		}
	}
	if len(left) > 0 {
		s.log.Info("Leases of an earlier run revoked", "leases", len(left))
	}
	close(s.cleared)
}

// fence writes the lease's epoch key anew (I5).
func (s *Service) fence(lease int64) {
	ctx, cancel := context.WithTimeout(s.ctx, fenceTime)
	defer cancel()
	resp, err := s.etcd.Txn(ctx, &pb.TxnRequest{Success: []*pb.RequestOp{
		put(keys.Epoch(s.prefix, lease), s.record, lease),
	}})
	switch {
	case err == nil:
		s.step(core.LeaseFenced{Lease: lease, Epoch: resp.Header.Revision})
	case errors.Is(err, etcd.ErrLeaseNotFound):
		s.step(core.LeaseEnded{Lease: lease})
	default:
		s.object(err)
		s.trouble("Epoch not written", err)
		s.step(core.FenceFailed{Lease: lease})
	}
}

// probe asks whether a lease is there. No answer is taken for yes: the reason
// of a loss is not worth a longer wait.
func (s *Service) probe(lease int64) {
	if info, ok := s.look(lease); ok && !info.Alive {
		s.step(core.LeaseEnded{Lease: lease})
		return
	}
	s.step(core.LeaseAlive{Lease: lease})
}

func (s *Service) list(lease int64) {
	info, ok := s.look(lease)
	switch {
	case !ok:
	case info.Alive:
		s.step(core.LeaseListed{Lease: lease, Keys: info.Keys})
	default:
		s.step(core.LeaseEnded{Lease: lease})
	}
}

func (s *Service) look(lease int64) (etcd.LeaseInfo, bool) {
	ctx, cancel := context.WithTimeout(s.ctx, probeTime)
	defer cancel()
	info, err := s.etcd.Lease(ctx, lease)
	if err != nil {
		s.trouble("Lease not looked at", err)
	}
	return info, err == nil
}

// trouble logs what etcd did not do, and tells the core if its revisions went
// back. A Service that is being closed makes such trouble itself.
func (s *Service) trouble(what string, err error, args ...any) {
	if s.ctx.Err() != nil {
		return
	}
	if errors.Is(err, etcd.ErrRegressed) {
		s.regressed(err)
		return
	}
	s.log.Debug(what, append(args, "error", err)...)
}
