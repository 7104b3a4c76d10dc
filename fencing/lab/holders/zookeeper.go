package holders

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-zookeeper/zk"
)

// zooHolder keeps a session, and goes by what its connection says of it.
type zooHolder struct {
	conn *zk.Conn
	lock *zk.Lock

	mu      sync.Mutex // guards what follows
	away    string     // since the connection was lost, and until it is back
	expired string
}

func openZooKeeper(c Config) (Holder, error) {
	h := &zooHolder{}
	conn, _, err := zk.Connect(c.Addresses, c.TTL, zk.WithLogInfo(false), zk.WithLogger(silent{}), zk.WithEventCallback(h.event))
	if err != nil {
		return nil, fmt.Errorf("connect to ZooKeeper: %w", err)
	}
	h.conn = conn
	return h, nil
}

// silent drops what the library logs: its errors are returned as well.
type silent struct{}

func (silent) Printf(string, ...any) {}

// event follows the session. A client that has lost its connection must take the
// lock as lost until it is back with the same session.
func (h *zooHolder) event(event zk.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch event.State {
	case zk.StateExpired:
		h.expired = "the session has expired"
	case zk.StateDisconnected:
		h.away = "the connection is lost, and with it maybe the session"
	case zk.StateHasSession:
		h.away = ""
	}
}

func (h *zooHolder) Acquire(ctx context.Context, name string) (fence int64, err error) {
	for {
		if fence, err = h.try(ctx, "/"+name); err == nil {
			return fence, nil
		}
		if err := poll(ctx, func(context.Context) (bool, error) { return h.conn.State() == zk.StateHasSession, nil }); err != nil {
			return 0, err
		}
	}
}

// try ends the session when ctx ends, since the library has no other way to end a
// wait.
func (h *zooHolder) try(ctx context.Context, path string) (int64, error) {
	stop := context.AfterFunc(ctx, h.conn.Close)
	defer stop()
	h.mu.Lock()
	h.expired = "" // of a session before
	h.mu.Unlock()
	h.lock = zk.NewLock(h.conn, path, zk.WorldACL(zk.PermAll))
	if err := h.lock.Lock(); err != nil {
		return 0, err
	}
	return h.fence(path)
}

// fence is the transaction that made the lock's node, which the library does not
// tell: it is that of the node of our session.
func (h *zooHolder) fence(path string) (int64, error) {
	children, _, err := h.conn.Children(path)
	if err != nil {
		return 0, err
	}
	for _, child := range children {
		found, stat, err := h.conn.Exists(path + "/" + child)
		if err != nil {
			return 0, err
		}
		if found && stat.EphemeralOwner == h.conn.SessionID() {
			return stat.Czxid, nil
		}
	}
	return 0, errors.New("the lock's node is gone")
}

func (h *zooHolder) Told() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.expired != "" {
		return h.expired
	}
	return h.away
}

func (h *zooHolder) Release(context.Context) error { return h.lock.Unlock() }

func (h *zooHolder) Close() error {
	h.conn.Close()
	return nil
}
