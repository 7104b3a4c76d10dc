package leases

import "lockside/leases/core"

// GoneBack is the one thing to say of a regression, wherever it is said.
const GoneBack = "etcd's revisions went back: nothing is granted until an operator runs lockside accept-restore"

// noteRegression writes a regression down before anyone acts on it: revisions rise,
// and would pass what was remembered in a later run.
func (s *Service) noteRegression(why error) {
	if err := s.state.Regress(); err != nil {
		s.log.Error("Regression not remembered", "error", err)
	}
	s.gone <- why // there is room, since it comes once
}

// awaitRegression ends what is held as soon as a regression is noticed, by whatever
// answer.
func (s *Service) awaitRegression() {
	select {
	case why := <-s.gone:
		s.regressed(why)
	case <-s.ctx.Done():
	}
}

// regressed ends the sessions that hold something, once (P8).
func (s *Service) regressed(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.machine.Status().Closed != nil {
		return
	}
	s.log.Error("Etcd regressed", "error", why, "text", GoneBack)
	s.stepLocked(core.Regress{})
}
