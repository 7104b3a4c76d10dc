package safety

import (
	"context"
	"time"

	"lockside/fencing/lab/actor"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/timeline"
	"lockside/fencing/lab/wire"
)

// ahead is how far a clock is stepped.
const ahead = time.Hour

// A stage is what a story is played on.
type stage struct {
	programs servers.Programs
	dir      string
	ttl      time.Duration
	scenario string
	members  int

	trace *trace
	links [2][]*wire.Link // of each client, a link to every server
}

// link puts links between a client and servers, and returns what the client is to
// connect to.
func (s *stage) link(client int, servers ...string) ([]string, error) {
	var all []string
	for _, target := range servers {
		l, err := wire.New(target)
		if err != nil {
			return nil, err
		}
		s.links[client] = append(s.links[client], l)
		all = append(all, l.Address)
	}
	return all, nil
}

// linkBoth does so for both clients.
func (s *stage) linkBoth(servers ...string) (addresses [2][]string, err error) {
	for i := range addresses {
		if addresses[i], err = s.link(i, servers...); err != nil {
			return addresses, err
		}
	}
	return addresses, nil
}

// retarget has what leads both clients to the server of that number lead to
// another one.
func (s *stage) retarget(i int, target string) {
	for _, links := range s.links {
		links[i].Retarget(target)
	}
}

// cut cuts a client off from all servers.
func (s *stage) cut(client int) {
	for _, l := range s.links[client] {
		l.Cut()
	}
}

func (s *stage) granted(context.Context) error { return nil }

func (s *stage) pause() error { return nil }

func (s *stage) resume() error { return nil }

func (s *stage) close() {
	for _, links := range s.links {
		for _, l := range links {
			l.Close()
		}
	}
}

// note tells what the service does.
func (s *stage) note(kind timeline.Kind, text string) {
	s.trace.add(timeline.Service, kind, actor.Now(), text)
}

// clock is the option for servers whose clocks can be stepped, in that scenario.
func (s *stage) clock(library string) []servers.Option {
	if s.scenario != Clock {
		return nil
	}
	return []servers.Option{servers.WithClock(library)}
}

// A server is one of several that can be killed, and started on its old files.
type server interface {
	Kill(i int)
	PutBack(ctx context.Context, i int) error
	Restart(ctx context.Context, i int) error
}

// forget restarts a server without what it has written since it was saved. One
// that does not start any more is a result too.
func (s *stage) forget(ctx context.Context, all server, i int) error {
	all.Kill(i)
	if err := all.PutBack(ctx, i); err != nil {
		return err
	}
	s.note(timeline.Strike, "a server is killed, and starts on its files from before the grant")
	if err := all.Restart(ctx, i); err != nil {
		s.note(timeline.Note, "that server does not start any more")
	}
	return nil
}
