package history

import (
	"context"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Leftover is what is still in etcd.
type Leftover struct {
	Entries []string // keys of entries in queues
	Own     []string // other keys below the prefix: those of daemons
	Leases  []int64  // of whoever uses this etcd
}

// Left lists what is below a prefix, such as "lockside/", and all leases. Once
// all clients have given up what they had there are no entries; once all daemons
// have stopped in order there is nothing. The context bounds the requests.
func Left(ctx context.Context, etcd *clientv3.Client, prefix string) (Leftover, error) {
	var left Leftover
	keys, err := etcd.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return left, fmt.Errorf("list what is left: %w", err)
	}
	for _, kv := range keys.Kvs {
		key := string(kv.Key)
		if strings.HasPrefix(key, prefix+"!") {
			left.Own = append(left.Own, key)
		} else {
			left.Entries = append(left.Entries, key)
		}
	}
	leases, err := etcd.Leases(ctx)
	if err != nil {
		return left, fmt.Errorf("list the leases that are left: %w", err)
	}
	for _, lease := range leases.Leases {
		left.Leases = append(left.Leases, int64(lease.ID))
	}
	return left, nil
}

// String says what is left, or is empty.
func (l Leftover) String() string {
	var all []string
	for _, key := range l.Entries {
		all = append(all, "entry "+key)
	}
	for _, key := range l.Own {
		all = append(all, "key "+key)
	}
	for _, lease := range l.Leases {
		all = append(all, fmt.Sprintf("lease %x", lease))
	}
	return strings.Join(all, ", ")
}
