package leases

import (
	"context"
	"errors"
	"fmt"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"lockside/leases/etcd"
	"lockside/leases/keys"
	"lockside/leases/state"
)

// Acceptance is what an operator allows beside a cluster that has come as far as
// this host remembers.
type Acceptance struct {
	// Raise writes to etcd, while the context lasts, until its revision is as high.
	Raise bool
	// LowerFences is the remembered revision, if fences may begin again below it.
	// It is a number so that nobody says it unawares.
	LowerFences int64
}

// Restored is what was accepted. It is zero if there was nothing to accept.
type Restored struct {
	Cluster    uint64
	Revision   int64 // of etcd: fences are greater from now on
	Remembered int64 // the highest that this host had seen before
}

// restores accepts what etcd was put back to.
type restores struct {
	etcd etcd.Config // without a memory

	mu       sync.Mutex // one at a time; guards what follows
	accepted Restored
}

// AcceptRestore has the next Service on this state directory go on from etcd as it
// is now (P8). This one goes on refusing, and should be closed; asked again, it says
// the same. It returns ErrRegressed, with what to do, while etcd has not come as far
// as this host remembers, and ErrUnavailable or ErrDraining; after another error,
// of the state directory, it may be accepted or not.
func (s *Service) AcceptRestore(ctx context.Context, how Acceptance) (r Restored, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	done := make(chan struct{})
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return Restored{}, ErrDraining
	}
	s.work.Go(func() { // which Close waits for
		defer close(done)
		r, err = s.acceptRestore(ctx, how)
	})
	s.mu.Unlock()
	<-done
	return r, err
}

func (s *Service) acceptRestore(ctx context.Context, how Acceptance) (Restored, error) {
	s.restores.mu.Lock()
	defer s.restores.mu.Unlock()
	if s.restores.accepted != (Restored{}) {
		return s.restores.accepted, nil
	}
	// A regression may not have been noticed yet. Whoever holds something ends first.
	_, err := s.etcd.Range(ctx, &pb.RangeRequest{Key: []byte(keys.Raise(s.prefix)), CountOnly: true})
	if !errors.Is(err, etcd.ErrRegressed) {
		return Restored{}, unavailable(err)
	}
	s.regressed(err)
	remembered := max(s.state.Memory().Revision, s.etcd.Status().Revision)
	now, err := s.present(ctx, remembered, how)
	if err != nil {
		return Restored{}, err
	}
	if err := s.state.Accept(state.Memory{Cluster: now.ClusterID, Revision: now.Revision}); err != nil {
		return Restored{}, err
	}
	s.log.Warn("Restore accepted", "cluster", fmt.Sprintf("%x", now.ClusterID), "revision", now.Revision, "remembered", remembered)
	s.restores.accepted = Restored{now.ClusterID, now.Revision, remembered}
	return s.restores.accepted, nil
}

// present tells how far etcd has come, if that may be accepted. It is asked by a
// client without a past, on connections of its own.
func (s *Service) present(ctx context.Context, remembered int64, how Acceptance) (etcd.Memory, error) {
	client, err := etcd.New(s.restores.etcd)
	if err != nil {
		return etcd.Memory{}, err
	}
	defer client.Close()
	key := keys.Raise(s.prefix)
	now, err := client.Survey(ctx, key)
	if missing := remembered - now.Revision; err == nil && how.Raise && missing > 0 && missing <= mostRaised {
		s.log.Info("Revision is being raised", "from", now.Revision, "to", remembered)
		now, err = client.Raise(ctx, key, remembered)
	}
	if err != nil {
		s.object(err)
		s.log.Error("Restore not accepted", "error", err)
		return etcd.Memory{}, disagreement(err)
	}
	if now.Revision < remembered && how.LowerFences != remembered {
		return etcd.Memory{}, behind(now.Revision, remembered)
	}
	return now, nil
}
