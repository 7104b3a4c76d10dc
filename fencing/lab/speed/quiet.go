package speed

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lockside/fencing/lab/machine"
	"lockside/fencing/lab/quiet"
	"lockside/fencing/lab/report"
	"lockside/fencing/lab/systems"
)

const (
	// spareFiles are those that this process, or a server, has open beside a
	// connection a session.
	spareFiles = 256

	// spareSessions are those that a daemon lets in beside those that are quiet:
	// one more client, and questions.
	spareSessions = 16

	// waitersLimit bounds the time until all waiters have come and had their turn.
	waitersLimit = 3 * time.Minute
)

// quiet has many sessions hold, and many wait, once with each system that keeps
// sessions, in the first size of cluster.
func (r *run) quiet(ctx context.Context, kinds []systems.Kind) {
	if r.Quiet == 0 && r.Waiters == 0 || len(r.Members) == 0 || ctx.Err() != nil {
		return
	}
	sessions, waiters := r.fit(r.Quiet, "quiet sessions"), r.fit(r.Waiters, "waiters")
	kinds = slices.DeleteFunc(slices.Clone(kinds), func(k systems.Kind) bool { return !k.Quiet })
	members := r.Members[0]
	r.onEach(ctx, kinds, members, max(sessions, waiters)+spareSessions, func(kind systems.Kind, system systems.System) error {
		metered, ok := system.(systems.Metered)
		if !ok {
			return fmt.Errorf("%s does not tell what it uses", kind.Name)
		}
		at := report.Place{System: kind.Name, Members: members, Servers: kind.Servers[members]}
		if err := r.sessions(ctx, at, kind, metered, sessions); err != nil {
			return err
		}
		return r.waiters(ctx, at, kind, metered, waiters)
	})
}

// fit is as many as this process can have files for. If these are fewer, the
// report says so.
func (r *run) fit(n int, what string) int {
	files, err := machine.AllowFiles()
	if err != nil {
		r.log.Warn("The limit of open files stays as it is", "err", err)
	}
	most := max(files-spareFiles, 0)
	if err != nil || n <= most {
		return n
	}
	text := fmt.Sprintf("There are %d %s where %d are asked for: a process here may have %d open files; raise the hard limit (ulimit -Hn)", most, what, n, files)
	r.log.Warn("Fewer than asked for", "what", what, "asked", n, "are", most, "openFiles", files)
	r.report.Missing = append(r.report.Missing, text)
	return most
}

// sessions measures so many quiet ones.
func (r *run) sessions(ctx context.Context, at report.Place, kind systems.Kind, system systems.Metered, n int) error {
	if n == 0 {
		return nil
	}
	s, err := quiet.MeasureSessions(ctx, system, quiet.Plan{
		Sessions: n, Quiet: r.TTL, Probe: r.QuietTime, Fenced: kind.Fenced,
	})
	if err != nil {
		return fmt.Errorf("measure quiet sessions: %w", err)
	}
	s.Wanted = r.Quiet
	r.log.Info("Measured quiet sessions", "system", at.System, "members", at.Members, "sessions", s.Sessions, "lost", s.Lost,
		"renewals/s", s.Renewals, "bytesOfDaemon", int(s.PerSession(s.Daemon)), "bytesOfEtcd", int(s.PerSession(s.Etcd)),
		"p99Before", s.Before.Acquire.P99, "p99Beside", s.Beside.Acquire.P99, "p99After", s.After.Acquire.P99)
	r.report.Quiet = append(r.report.Quiet, report.Quiet{Place: at, Sessions: s})
	return nil
}

// waiters measures so many in one queue.
func (r *run) waiters(ctx context.Context, at report.Place, kind systems.Kind, system systems.Metered, n int) error {
	if n == 0 || ctx.Err() != nil {
		return nil
	}
	w, err := quiet.MeasureWaiters(ctx, system, n, waitersLimit, kind.Fenced)
	if err != nil || ctx.Err() != nil {
		return err
	}
	w.Wanted = r.Waiters
	r.log.Info("Measured waiters", "system", at.System, "members", at.Members, "waiters", w.Waiters, "granted", w.Granted,
		"handOffs/s", int(w.Rate), "overlaps", w.Overlaps, "notRising", w.NotRising)
	r.report.Waiters = append(r.report.Waiters, report.Waiters{Place: at, Waiters: w})
	return nil
}
