package systems

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockside/fencing/lab/servers"
)

// A Locker is one worker's side of a lock service. One name at a time is taken
// through it, by one goroutine.
type Locker interface {
	// Acquire waits for a name and takes it. The fence is 0 where there is none.
	// When ctx ends first it returns an error, and the name is not held, at the
	// latest after Close.
	Acquire(ctx context.Context, name string) (fence int64, err error)

	// Release gives back the name. It returns when others can have it.
	Release(ctx context.Context) error

	// Close gives back whatever the locker has, the name included.
	Close() error
}

var (
	// errLate is for a name granted when nobody wanted it any more.
	errLate = errors.New("granted as the wait was given up")

	// errLost is for a name that was not held any more when it was released.
	errLost = errors.New("lost before it was released")
)

// A Worker is whom a locker is for. Workers of one host share what processes of
// one host would share: with lockside its daemon, else nothing that matters.
type Worker struct {
	Host   int
	Number int
}

// A System is a lock service that runs.
type System interface {
	// Open connects a worker. It is called by many goroutines at once.
	Open(ctx context.Context, w Worker) (Locker, error)

	// Close ends the clients and the servers. All lockers are closed by then.
	Close() error
}

// Settings are what is the same for all systems of a run.
type Settings struct {
	Programs servers.Programs
	Dir      string // for the servers' files; empty
	TTL      time.Duration
	Sessions int   // that a host has to let in; 0 where the servers' defaults do
	Pause    Pause // between two tries of those that poll
}

// A Kind is a system that can be started.
type Kind struct {
	Name   string
	About  string // how it is used here, in a sentence or two
	Fenced bool
	Bare   bool // no lock at all, but what bounds one
	Quiet  bool // it is Metered, and each worker keeps a session

	// Servers is how many servers there are where one is asked for, and where
	// three are; 0 where that makes no sense.
	Servers map[int]int

	// Start runs as many servers. The context is for the start alone.
	Start func(ctx context.Context, s Settings, servers int) (System, error)

	// Version tells which version of the server that is.
	Version func(ctx context.Context, p servers.Programs) (string, error)

	// lacks says what is missing, and how to get it; "" if all is there.
	lacks func(p servers.Programs) string
}

// Missing is an error that says what to install when a program is not there.
func (k Kind) Missing(p servers.Programs) error {
	if lacks := k.lacks(p); lacks != "" {
		return fmt.Errorf("%s is left out: %s", k.Name, lacks)
	}
	return nil
}

// Kinds are all systems there are, in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{
		locksideKind(), linesKind(), mutexKind(), sessionKind(),
		zooKeeperKind(), redisKind(), redlockKind(), postgresKind(), putKind(),
	}
}

// built is for servers that the lab builds itself.
func built(servers.Programs) string { return "" }

// replicated is for clusters that are as well run as one server.
var replicated = map[int]int{1: 1, 3: 3}
