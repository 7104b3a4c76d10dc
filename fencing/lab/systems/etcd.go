package systems

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"

	"lockside/fencing/lab/servers"
)

func etcdVersion(ctx context.Context, p servers.Programs) (string, error) {
	return servers.Version(ctx, p.Etcd, "--version")
}

// etcd is a cluster with a plain client a host, which its workers share. That
// is kind: processes have one each.
type etcd struct {
	servers *servers.Etcd
	ttl     int // seconds
	open    func(ctx context.Context, e *etcd, client *clientv3.Client) (Locker, error)

	mu      sync.Mutex // guards what follows
	clients map[int]*clientv3.Client
}

func startEtcd(ctx context.Context, s Settings, members int, open func(context.Context, *etcd, *clientv3.Client) (Locker, error)) (System, error) {
	cluster, err := servers.StartEtcd(ctx, s.Dir, s.Programs.Etcd, members)
	if err != nil {
		return nil, err
	}
	return &etcd{
		servers: cluster, ttl: int(s.TTL / time.Second), open: open,
		clients: map[int]*clientv3.Client{},
	}, nil
}

func (e *etcd) Open(ctx context.Context, w Worker) (Locker, error) {
	client, err := e.client(w.Host)
	if err != nil {
		return nil, err
	}
	return e.open(ctx, e, client)
}

// client is that of a host.
func (e *etcd) client(host int) (*clientv3.Client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if client := e.clients[host]; client != nil {
		return client, nil
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: e.servers.Endpoints, Logger: zap.NewNop()})
	if err != nil {
		return nil, fmt.Errorf("connect to etcd: %w", err)
	}
	e.clients[host] = client
	return client, nil
}

func (e *etcd) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	for _, client := range e.clients {
		err = errors.Join(err, client.Close())
	}
	e.servers.Stop()
	return err
}

// session begins one whose end does not hang on the context of its begin. Its
// lease is granted within ctx.
func (e *etcd) session(ctx context.Context, client *clientv3.Client) (*concurrency.Session, error) {
	lease, err := client.Grant(ctx, int64(e.ttl))
	if err != nil {
		return nil, fmt.Errorf("grant a lease: %w", err)
	}
	return concurrency.NewSession(client, concurrency.WithLease(lease.ID), concurrency.WithTTL(e.ttl))
}

// fence is the create revision of the key that a mutex holds. The mutex knows
// it, but tells only in this form.
func fence(m *concurrency.Mutex) int64 {
	is := m.IsOwner()
	return is.GetCompare().GetCreateRevision()
}
