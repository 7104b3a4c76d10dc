package faults_test

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockside/leases/etcdtest"
)

// TestLoginsThatEnd: tokens end between any two renewals, and at once when a user
// or a role is changed. Locks are held through it all, and handed over.
func TestLoginsThatEnd(t *testing.T) {
	t.Parallel()
	const tokens = time.Second
	cluster := etcdtest.StartCluster(t, 3, etcdtest.WithTokenTTL(uint(tokens/time.Second)))
	root := enableLogin(t, cluster)
	b := &bench{cluster: cluster, told: newRecord(t)}
	for _, name := range []string{"a", "b"} {
		h := newHost(t, name, cluster.Endpoints()...)
		h.config.TTL, h.config.User, h.config.Password = 5*tokens, "lock", "lock"
		h.run(t, nil)
		b.sites = append(b.sites, &site{host: h})
	}
	all := b.vigils(t)
	for range 3 {
		renewAll(t, all)
		if _, err := root.UserChangePassword(soon(t), "lock", "lock"); err != nil {
			t.Fatal(err)
		}
		if _, err := root.RoleGrantPermission(soon(t), "locks", "other", "", clientv3.PermissionType(clientv3.PermRead)); err != nil {
			t.Fatal(err)
		}
		renewAll(t, all)
	}
	endAll(all)
}

// enableLogin gives a user of name and password "lock" what a daemon needs, and
// nobody else anything but root, whose client it returns.
func enableLogin(t testing.TB, c *etcdtest.Cluster) *clientv3.Client {
	t.Helper()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	etcd := c.Client(t)
	must(etcd.RoleAdd(soon(t), "root"))
	must(etcd.RoleAdd(soon(t), "locks"))
	must(etcd.RoleGrantPermission(soon(t), "locks", "lockside/", "lockside0", clientv3.PermissionType(clientv3.PermReadWrite)))
	for user, role := range map[string]string{"root": "root", "lock": "locks"} {
		must(etcd.UserAdd(soon(t), user, user))
		must(etcd.UserGrantRole(soon(t), user, role))
	}
	must(etcd.AuthEnable(soon(t)))
	root, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints(), Username: "root", Password: "root", Logger: zap.NewNop()})
	must(nil, err)
	t.Cleanup(func() { root.Close() })
	return root
}
