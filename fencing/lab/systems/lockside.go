package systems

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"lockside/fencing/lab/servers"
	"lockside/ipc"
)

// Lockside is the name of the system that others are compared with.
const Lockside = "lockside"

func locksideKind() Kind {
	return Kind{
		Name:   Lockside,
		About:  "locksided with its defaults, one for each host, on an etcd cluster. Workers use the Go client, package ipc, with a connection of their own.",
		Fenced: true, Servers: replicated, lacks: built,
		Version: locksideVersion,
		Start: func(ctx context.Context, s Settings, members int) (System, error) {
			return startLockside(ctx, s, members, openClient)
		},
	}
}

func locksideVersion(ctx context.Context, p servers.Programs) (string, error) {
	version, err := servers.Version(ctx, p.Locksided, "version")
	if err != nil {
		return "", err
	}
	etcd, err := etcdVersion(ctx, p)
	return fmt.Sprintf("%s, %s", version, etcd), err
}

// lockside is a daemon a host, each started when its first worker connects.
type lockside struct {
	settings Settings
	etcd     *servers.Etcd
	open     func(ctx context.Context, socket string) (Locker, error)

	mu      sync.Mutex // guards what follows
	daemons map[int]*servers.Locksided
}

func startLockside(ctx context.Context, s Settings, members int, open func(context.Context, string) (Locker, error)) (System, error) {
	etcd, err := servers.StartEtcd(ctx, s.Dir, s.Programs.Etcd, members)
	if err != nil {
		return nil, err
	}
	return &lockside{settings: s, etcd: etcd, open: open, daemons: map[int]*servers.Locksided{}}, nil
}

func (l *lockside) Open(ctx context.Context, w Worker) (Locker, error) {
	socket, err := l.socket(ctx, w.Host)
	if err != nil {
		return nil, err
	}
	return l.open(ctx, socket)
}

// socket is that of a host's daemon.
func (l *lockside) socket(ctx context.Context, host int) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.daemons[host]; d != nil {
		return d.Socket, nil
	}
	s := l.settings
	d, err := servers.StartLocksided(ctx, s.Dir, s.Programs.Locksided, l.etcd.Endpoints, servers.Host{
		Number: host, TTL: s.TTL, Sessions: s.Sessions,
	})
	if err != nil {
		return "", err
	}
	l.daemons[host] = d
	return d.Socket, nil
}

// Read tells what all daemons and etcd members use.
func (l *lockside) Read(ctx context.Context) (Reading, error) {
	r, err := readEtcd(ctx, l.etcd)
	if err != nil {
		return r, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.daemons {
		u, err := d.Usage()
		if err != nil {
			return r, err
		}
		r.Daemon.Add(u)
	}
	return r, nil
}

// Waiting asks the daemon of the first host, which tells only how many wait for
// all names together.
func (l *lockside) Waiting(ctx context.Context, _ string) (int, error) {
	socket, err := l.socket(ctx, 0)
	if err != nil {
		return 0, err
	}
	client, err := ipc.Dial(ctx, socket)
	if err != nil {
		return 0, err
	}
	lines, err := client.Status(ctx)
	waiting := 0
	for _, line := range lines {
		if line.Get("about") == "counts" {
			waiting = int(line.Int("waiting"))
		}
	}
	return waiting, errors.Join(err, client.Close())
}

func (l *lockside) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.daemons {
		d.Stop()
	}
	l.etcd.Stop()
	return nil
}

// ipcLocker takes names through the Go client.
type ipcLocker struct {
	client *ipc.Client
	lock   *ipc.Lock
}

func openClient(ctx context.Context, socket string) (Locker, error) {
	client, err := ipc.Dial(ctx, socket)
	if err != nil {
		return nil, err
	}
	return &ipcLocker{client: client}, nil
}

func (l *ipcLocker) Acquire(ctx context.Context, name string) (int64, error) {
	lock, err := l.client.Lock(ctx, name)
	if err != nil {
		return 0, err
	}
	l.lock = lock
	return lock.Fence(), nil
}

func (l *ipcLocker) Release(ctx context.Context) error { return l.lock.Unlock(ctx) }

func (l *ipcLocker) Close() error { return l.client.Close() }
