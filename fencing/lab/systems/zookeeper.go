package systems

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"lockside/fencing/lab/servers"
)

func zooKeeperKind() Kind {
	return Kind{
		Name:    "ZooKeeper",
		About:   "ZooKeeper's lock recipe as the Go library go-zookeeper has it. Each worker keeps its session. The library tells no fence.",
		Servers: replicated, Version: zooKeeperVersion, Start: startZooKeeper,
		lacks: func(p servers.Programs) string {
			switch {
			case p.Java == "":
				return "there is no java; apt-get install zookeeper, or point --java at it"
			case p.ZooKeeper == "":
				return "there is no zookeeper.jar; apt-get install zookeeper, or give its class path with --zookeeper"
			}
			return ""
		},
	}
}

// zooKeeperVersion runs the server's own class that tells.
func zooKeeperVersion(ctx context.Context, p servers.Programs) (string, error) {
	version, err := servers.Version(ctx, p.Java, "-cp", p.ZooKeeper, "org.apache.zookeeper.version.VersionInfoMain")
	if err != nil {
		return "", err
	}
	java, err := servers.Version(ctx, p.Java, "-version")
	return fmt.Sprintf("%s, %s", version, java), err
}

// zooKeeper is an ensemble.
type zooKeeper struct {
	servers *servers.ZooKeeper
	ttl     time.Duration
}

func startZooKeeper(ctx context.Context, s Settings, n int) (System, error) {
	ensemble, err := servers.StartZooKeeper(ctx, s.Dir, s.Programs.Java, s.Programs.ZooKeeper, n)
	if err != nil {
		return nil, err
	}
	return &zooKeeper{servers: ensemble, ttl: s.TTL}, nil
}

func (z *zooKeeper) Open(ctx context.Context, _ Worker) (Locker, error) {
	conn, events, err := zk.Connect(z.servers.Addresses, z.ttl, zk.WithLogInfo(false), zk.WithLogger(silent{}))
	if err != nil {
		return nil, fmt.Errorf("connect to ZooKeeper: %w", err)
	}
	for {
		select {
		case event := <-events:
			if event.State == zk.StateHasSession {
				return &zooLocker{conn: conn}, nil
			}
		case <-ctx.Done():
			conn.Close()
			return nil, fmt.Errorf("wait for a ZooKeeper session: %w", context.Cause(ctx))
		}
	}
}

func (z *zooKeeper) Close() error {
	z.servers.Stop()
	return nil
}

// silent drops what the library logs: its errors are returned as well.
type silent struct{}

func (silent) Printf(string, ...any) {}

// zooLocker keeps a session.
type zooLocker struct {
	conn *zk.Conn
	lock *zk.Lock
}

// Acquire ends the session when ctx ends, since the library has no other way to
// end a wait.
func (l *zooLocker) Acquire(ctx context.Context, name string) (int64, error) {
	stop := context.AfterFunc(ctx, l.conn.Close)
	l.lock = zk.NewLock(l.conn, "/"+name, zk.WorldACL(zk.PermAll))
	err := l.lock.Lock()
	if !stop() && err == nil {
		err = errLate
	}
	return 0, err
}

func (l *zooLocker) Release(context.Context) error { return l.lock.Unlock() }

func (l *zooLocker) Close() error {
	l.conn.Close()
	return nil
}
