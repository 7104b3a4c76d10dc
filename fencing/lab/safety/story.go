package safety

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lockside/fencing/lab/actor"
	"lockside/fencing/lab/timeline"
)

const (
	// lockName is the lock of each story, on servers of its own.
	lockName = "lock"

	// storyTimeout bounds a story, and waitTimeout the wait of each client.
	storyTimeout = 3 * time.Minute
	waitTimeout  = 40 * time.Second
)

// A story is one that is being played.
type story struct {
	*stage
	kind     kind
	rig      rig
	row      string // of the resource
	resource string // URL of it
	checked  bool

	a, b      *actor.Handle
	told      []actor.Message // by A, without being asked; written by its reader until A is closed
	struck    time.Duration
	gaveUp    time.Duration // when A released, 0 before
	grantedAt time.Duration // when B was granted the lock
	wroteA    actor.Message
	result    Result
}

// paused reports whether A stands still from the strike until B has written.
func (s *story) paused() bool { return s.scenario == Pause || s.scenario == Reset }

// play starts the servers and the clients, and plays the story to its end.
func (s *story) play(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, storyTimeout)
	defer cancel()
	if err := os.MkdirAll(s.dir, 0o711); err != nil {
		return fmt.Errorf("make a directory for the servers: %w", err)
	}
	defer s.stage.close()
	if s.rig, err = s.kind.start(ctx, s.stage); err != nil {
		return err
	}
	defer s.rig.close()
	if err := execute(ctx, s.resource, "insert into things (id) values ($1)", s.row); err != nil {
		return err
	}
	if err := s.clients(ctx); err != nil {
		return err
	}
	value, err := s.value(ctx)
	if err != nil {
		return err
	}
	s.conclude(value)
	return nil
}

// clients starts both and ends them.
func (s *story) clients(ctx context.Context) (err error) {
	if s.a, err = s.client(0, "A", timeline.ClientA); err != nil {
		return err
	}
	defer s.a.Close()
	if s.b, err = s.client(1, "B", timeline.ClientB); err != nil {
		return err
	}
	defer s.b.Close()
	if err := s.begin(ctx); err != nil {
		return err
	}
	return s.goOn(ctx)
}

func (s *story) client(number int, name string, lane timeline.Lane) (*actor.Handle, error) {
	return actor.Start(s.dir, actor.Config{
		Name: name, Holder: s.rig.holder(number), Lock: lockName, Row: s.row, Resource: s.resource, Checked: s.checked,
	}, func(m actor.Message) {
		s.hear(lane, m)
		if number == 0 && (m.Kind == timeline.Told || m.Kind == timeline.Note) {
			s.told = append(s.told, m)
		}
	})
}

// hear writes what a client says into the trace.
func (s *story) hear(lane timeline.Lane, m actor.Message) {
	text := m.Text
	switch m.Kind {
	case timeline.Grant:
		if m.Fence != 0 {
			text = fmt.Sprintf("fence %d", m.Fence)
		}
	case timeline.Read, timeline.Write:
		text = fmt.Sprintf("%q", m.Value)
	case timeline.Release: // is told when it was asked for
		return
	}
	s.trace.add(lane, m.Kind, m.At, text)
}

// begin plays until the strike: A takes the lock and reads.
func (s *story) begin(ctx context.Context) error {
	if err := s.rig.prepare(ctx); err != nil {
		return err
	}
	s.trace.add(timeline.ClientA, timeline.Acquire, actor.Now(), "")
	grant, err := s.a.Do(ctx, actor.Step{Do: actor.Acquire, Wait: waitTimeout})
	if err != nil {
		return err
	}
	if grant.Kind != timeline.Grant {
		return fmt.Errorf("client A was not granted the lock: %s", grant.Text)
	}
	s.result.FenceA = grant.Fence
	if err := s.rig.granted(ctx); err != nil {
		return err
	}
	read, err := s.a.Do(ctx, actor.Step{Do: actor.Read})
	if err != nil {
		return err
	}
	if read.Kind != timeline.Read {
		return fmt.Errorf("client A could not read the resource: %s", read.Text)
	}
	return s.strike(ctx)
}

func (s *story) strike(ctx context.Context) error {
	s.struck = actor.Now()
	if s.paused() {
		s.trace.add(timeline.ClientA, timeline.Strike, s.struck, "paused")
		if err := errors.Join(s.a.Pause(), s.rig.pause()); err != nil {
			return err
		}
	}
	if s.scenario == Partition {
		s.trace.add(timeline.ClientA, timeline.Strike, s.struck, "cut off from the lock service")
		s.cut(0)
	}
	return s.rig.strike(ctx)
}

// patience is how long A goes on without writing where the lock may well be its
// own still.
func (s *story) patience() time.Duration {
	if s.scenario == Partition || s.scenario == Reset {
		return waitTimeout
	}
	return 2*s.ttl + 3*time.Second
}

// goOn plays from the strike: B asks for the lock, and has it at once, or late, or
// only when A has given it up.
func (s *story) goOn(ctx context.Context) error {
	s.trace.add(timeline.ClientB, timeline.Acquire, actor.Now(), "")
	if err := s.b.Begin(actor.Step{Do: actor.Acquire, Wait: s.patience() + waitTimeout/2}); err != nil {
		return err
	}
	first, cancel := context.WithTimeoutCause(ctx, s.patience(), errNobody)
	grant, err := s.b.Answer(first)
	cancel()
	if errors.Is(err, errNobody) {
		return s.afterA(ctx)
	}
	if err != nil {
		return err
	}
	if err := s.second(ctx, grant); err != nil {
		return err
	}
	return s.late(ctx)
}

// errNobody is for a wait for B's grant that has been long enough.
var errNobody = errors.New("client B was not granted the lock in time")

// afterA lets A write and give back the lock, and then B have it.
func (s *story) afterA(ctx context.Context) error {
	if err := s.late(ctx); err != nil {
		return err
	}
	s.gaveUp = actor.Now()
	s.trace.add(timeline.ClientA, timeline.Release, s.gaveUp, "")
	if _, err := s.a.Do(ctx, actor.Step{Do: actor.Release}); err != nil {
		return err
	}
	grant, err := s.b.Answer(ctx)
	if err != nil {
		return err
	}
	return s.second(ctx, grant)
}

// second is B's part, once its wait has ended.
func (s *story) second(ctx context.Context, grant actor.Message) error {
	r := &s.result
	if grant.Kind != timeline.Grant {
		r.Answer = grant.Text
		return nil
	}
	r.Granted, r.FenceB = true, grant.Fence
	if s.gaveUp == 0 {
		r.TakeOver = grant.At - s.struck
	}
	s.grantedAt = grant.At
	read, err := s.b.Do(ctx, actor.Step{Do: actor.Read})
	if err != nil {
		return err
	}
	if read.Kind == timeline.Refused {
		r.StaleB = true
		return nil
	}
	write, err := s.b.Do(ctx, actor.Step{Do: actor.Write})
	r.WroteB, r.StaleB = write.Kind == timeline.Write, write.Kind == timeline.Refused
	return err
}

// late is A's part after the strike. Who was paused has the write to do before
// anything else.
func (s *story) late(ctx context.Context) (err error) {
	if err := s.a.Begin(actor.Step{Do: actor.Write}); err != nil {
		return err
	}
	if s.paused() {
		s.trace.add(timeline.ClientA, timeline.Heal, actor.Now(), "goes on")
		if err := s.a.Resume(); err != nil {
			return err
		}
	}
	if s.wroteA, err = s.a.Answer(ctx); err == nil && s.paused() {
		err = s.rig.resume()
	}
	s.result.WroteA, s.result.StaleA = s.wroteA.Kind == timeline.Write, s.wroteA.Kind == timeline.Refused
	return err
}

// value is what the resource has in the end.
func (s *story) value(ctx context.Context) (string, error) {
	return queryValue(ctx, s.resource, s.row)
}

// conclude fills in what follows from the moments, once both clients have ended.
func (s *story) conclude(value string) {
	r := &s.result
	r.Value = value
	r.Lost = r.WroteA && !strings.Contains(value, "A") || r.WroteB && !strings.Contains(value, "B")
	r.Told = s.wroteA.Told
	r.InTime = r.Told != "" && !s.paused()
	until := s.wroteA.At
	for _, m := range s.told {
		if m.Kind != timeline.Told || m.At < s.struck {
			continue
		}
		if r.Told == "" {
			r.Told = m.Text
		}
		if r.ToldAfter == 0 {
			r.ToldAfter = m.At - s.struck
		}
	}
	if at, known := s.knewAt(); known {
		until = min(until, at)
	}
	if r.Granted && s.gaveUp == 0 && s.grantedAt < until {
		r.Early, r.Overlap = true, until-s.grantedAt
	}
	r.Events = s.trace.all()
}

// knewAt is when A learned last that its lock may be lost, and did not learn that it
// is not before it wrote.
func (s *story) knewAt() (at time.Duration, known bool) {
	for _, m := range s.told {
		if m.At > s.wroteA.At {
			break
		}
		known, at = m.Kind == timeline.Told, m.At
	}
	return at, known
}

// directory is the story's own.
func directory(parent string, number int) string {
	return filepath.Join(parent, fmt.Sprintf("s%d", number))
}
