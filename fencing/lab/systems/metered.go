package systems

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/fencing/lab/servers"
)

// A Metered system tells what it costs.
type Metered interface {
	System

	// Read tells what the servers have used until now.
	Read(ctx context.Context) (Reading, error)

	// Waiting is how many wait for a name that another one holds.
	Waiting(ctx context.Context, name string) (int, error)
}

// A Reading is what servers have used, by kind.
type Reading struct {
	At     time.Time
	Daemon servers.Usage // nothing where there is none
	Etcd   servers.Usage
	servers.Counters
}

func readEtcd(ctx context.Context, e *servers.Etcd) (Reading, error) {
	counters, err := e.Counters(ctx)
	if err != nil {
		return Reading{}, err
	}
	usage, err := e.Usage()
	return Reading{At: time.Now(), Etcd: usage, Counters: counters}, err
}

// Read tells what all members use.
func (e *etcd) Read(ctx context.Context) (Reading, error) { return readEtcd(ctx, e.servers) }

// Waiting counts the keys behind the first of a mutex.
func (e *etcd) Waiting(ctx context.Context, name string) (int, error) {
	client, err := e.client(0)
	if err != nil {
		return 0, err
	}
	keys, err := client.Get(ctx, name+"/", clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	return max(int(keys.Count)-1, 0), nil
}
