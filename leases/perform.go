package leases

import (
	"lockside/leases/core"
	"lockside/leases/keys"
)

// performLocked carries one action out: those to sessions at once, the others
// by a goroutine that feeds the answer back. Nothing in it waits.
func (s *Service) performLocked(a core.Action) {
	switch a := a.(type) {
	case core.Granted, core.Refused, core.Released, core.Lost:
		s.deliverLocked(a)
	case core.GrantLease:
		s.work.Go(func() { s.grant(a) })
	case core.RenewLease:
		renewal := s.renewalLocked(a)
		s.work.Go(func() { s.renew(a, renewal) })
	case core.RevokeLease:
		s.endRenewalLocked(a.Lease)
		s.work.Go(func() { s.revoke(a.Lease) })
	case core.FenceLease:
		s.work.Go(func() { s.fence(a.Lease) })
	case core.ProbeLease:
		s.work.Go(func() { s.probe(a.Lease) })
	case core.ListLease:
		s.work.Go(func() { s.list(a.Lease) })
	case core.Commit:
		s.dispatch(a.Batch)
	case core.ReadQueues:
		s.work.Go(func() { s.readQueues(a) })
	case core.OpenWatch:
		s.watcher.Open(a.Watch, keys.Queue(s.prefix, a.Name))
	case core.CloseWatch:
		s.watcher.Cancel(a.Watch)
	}
}
