package holders

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Holder is one client, which has at most one name at a time.
type Holder interface {
	// Acquire waits for a name and takes it, whatever fails meanwhile, until ctx
	// ends. The fence is 0 where there is none. Other errors say that to wait is in
	// vain.
	Acquire(ctx context.Context, name string) (fence int64, err error)

	// Told says why the name may be lost, and "" while all is well. It asks nobody.
	Told() string

	// Release gives back the name.
	Release(ctx context.Context) error

	// Close ends the client.
	Close() error
}

// The kinds of clients.
const (
	Redis           = "redis"
	Redlock         = "redlock"
	ZooKeeper       = "zookeeper"
	PostgresNaive   = "postgres, naive"
	PostgresOrdered = "postgres, in order"
	Etcd            = "etcd"
	Lockside        = "lockside"
)

// Config says whose client it is.
type Config struct {
	Kind      string        `json:"kind"`
	Addresses []string      `json:"addresses"` // of the servers, or the socket of the daemon
	TTL       time.Duration `json:"ttl_ns"`
}

// Open makes a client, which may connect as late as it is used.
func Open(ctx context.Context, c Config) (Holder, error) {
	switch c.Kind {
	case Redis:
		return openRedis(c), nil
	case Redlock:
		return openRedlock(c), nil
	case ZooKeeper:
		return openZooKeeper(c)
	case PostgresNaive, PostgresOrdered:
		return openPostgres(ctx, c)
	case Etcd:
		return openEtcd(c)
	case Lockside:
		return &locksideHolder{socket: c.Addresses[0]}, nil
	}
	return nil, fmt.Errorf("no kind of client %q", c.Kind)
}

// errGone is for a name that was not held any more when it was to be released.
var errGone = errors.New("it was not held any more")

const (
	// pause is between two tries of those that poll.
	pause = 20 * time.Millisecond

	// callTimeout bounds one request to a server.
	callTimeout = time.Second
)

// poll tries until a try takes the name, whatever errors there are meanwhile.
func poll(ctx context.Context, try func(ctx context.Context) (taken bool, err error)) error {
	for {
		taken, err := attempt(ctx, try)
		if taken {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

func attempt(ctx context.Context, try func(ctx context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return try(ctx)
}
