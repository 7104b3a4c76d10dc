package leases

import (
	"errors"
	"fmt"
	"os"
	"time"

	"lockside/leases/core"
)

// An Image is a Service as one program hands it to the next, in the form of that
// program's version.
type Image struct {
	Prefix      string
	LastSession uint64
	Machine     *core.Image
}

// A Resumption is what the next Service goes on from.
type Resumption struct {
	Image *Image
	// Lock is the state directory's, which was never let go.
	Lock *os.File
	// Subscribers are those of the sessions in the image, by number. A session
	// without one is ended.
	Subscribers map[uint64]Subscriber
}

// ErrShort is returned by Freeze when a lease may not outlast the hand-over.
var ErrShort = errors.New("a lease has too little time left")

// Freeze ends the Service but loses nothing, and returns what the next one goes on
// from, and the lock of the state directory, which the caller has to keep open.
// Subscribers hear no more from this Service.
//
// Without an error the Service is closed. Otherwise it goes on: ErrShort says that a
// lease in use has less than need until its deadline less margin, and ErrRegressed
// and ErrDraining that there is nothing to hand over.
func (s *Service) Freeze(need time.Duration) (*Image, *os.File, error) {
	image, err := s.image(need)
	if err != nil {
		return nil, nil, err
	}
	s.cancel()
	err = errors.Join(s.watcher.Close(), s.etcd.Close())
	s.work.Wait()
	lock, failed := s.state.Leave()
	if err = errors.Join(err, s.alarm.Close(), failed); err != nil {
		s.log.Warn("Not all was closed", "error", err)
	}
	return image, lock, nil
}

// image is taken at the end of the last step that there will be.
func (s *Service) image(need time.Duration) (*Image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.mayFreezeLocked(need); err != nil {
		return nil, err
	}
	s.stopLocked()
	return &Image{s.prefix, uint64(s.lastSession), s.machine.Freeze(s.clock.Now())}, nil
}

// MayFreeze tells what Freeze would refuse now.
func (s *Service) MayFreeze(need time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mayFreezeLocked(need)
}

func (s *Service) mayFreezeLocked(need time.Duration) error {
	s.stepLocked(core.Tick{})
	status := s.machine.Status()
	if s.closed {
		return ErrDraining
	}
	for _, l := range status.Leases {
		if l.Entries > 0 && l.Left < need {
			return fmt.Errorf("%w: %v of %v", ErrShort, l.Left.Round(time.Millisecond), l.TTL)
		}
	}
	return status.Closed
}

// resumeLocked goes on from an image. What is past its deadline ends in the first
// step, before anything else happens.
func (s *Service) resumeLocked(cfg core.Config, r *Resumption) {
	s.machine = core.Thaw(cfg, r.Image.Machine)
	s.lastSession = core.SessionID(r.Image.LastSession)
	for id, to := range r.Subscribers {
		s.subscribers[core.SessionID(id)] = to
	}
	s.stepLocked(core.Tick{})
	if s.state.Memory().Regressed {
		s.stepLocked(core.Regress{}) // noticed after the image was taken
	}
	for _, session := range r.Image.Machine.Sessions {
		if r.Subscribers[uint64(session.ID)] == nil {
			s.stepLocked(core.End{Session: session.ID})
		}
	}
}

// Resumed is a session that was in the image.
func (s *Service) Resumed(id uint64) *Session { return &Session{s, core.SessionID(id)} }
