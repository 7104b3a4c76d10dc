package etcdguard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/fencing"
)

const (
	// firstPause is between two looks at a queue, which doubles up to lastPause.
	firstPause = 2 * time.Millisecond
	lastPause  = 200 * time.Millisecond
)

// A KV is what a guard needs of a [clientv3.Client].
type KV interface {
	Txn(ctx context.Context) clientv3.Txn
}

// A Guard is one grant's way to write. A write is a list of operations, which etcd
// does in one transaction, with all others of its limits.
//
// It is a [fencing.Guard]; its calls wait for entries before the holder's own to
// go, until the context ends. A [fencing.StaleError] tells as the highest token
// that of the first entry in the queue, which may be a waiter's, and none when
// that is not there, or is older. Which cluster answers is looked at where etcd has
// not written: a key that another cluster gave is never found in this one, since it
// has a random lease id in it.
type Guard struct {
	kv    KV
	key   string
	queue string
	mark  string
}

// New is the guard of the grant whose entry has a key: the key= of LOCK's reply,
// without the escapes of a reply's fields. The error is [fencing.ErrToken] when
// it is no such key.
//
// The mark is a key of the resource's own, which keeps the token that wrote last;
// it is what WriteOnce compares. With "" there is no WriteOnce, which returns
// [errors.ErrUnsupported], and writes put nothing of the guard's.
func New(kv KV, key, mark string) (*Guard, error) {
	slash := strings.LastIndexByte(key, '/')
	if slash <= 0 || slash == len(key)-1 {
		return nil, fmt.Errorf("%w: %.80q is not the key of a lock's entry", fencing.ErrToken, key)
	}
	return &Guard{kv: kv, key: key, queue: key[:slash+1], mark: mark}, nil
}

// Claim waits until no entry is left that was before the holder's own. See
// [fencing.Guard].
func (g *Guard) Claim(ctx context.Context, t fencing.Token) error {
	return g.Write(ctx, t, nil)
}

// Write does operations. See [fencing.Guard].
func (g *Guard) Write(ctx context.Context, t fencing.Token, ops []clientv3.Op) error {
	_, err := g.commit(ctx, t, append(g.put(t), ops...))
	return err
}

// WriteOnce does operations unless the token has claimed or written before. See
// [fencing.Guard].
func (g *Guard) WriteOnce(ctx context.Context, t fencing.Token, ops []clientv3.Op) error {
	if g.mark == "" {
		return fmt.Errorf("write once without the key of a mark: %w", errors.ErrUnsupported)
	}
	seen := clientv3.Compare(clientv3.Value(g.mark), "=", t.String())
	once := clientv3.OpTxn([]clientv3.Cmp{seen}, nil, append(g.put(t), ops...))
	resp, err := g.commit(ctx, t, []clientv3.Op{once})
	if err == nil && resp.Responses[0].GetResponseTxn().GetSucceeded() {
		return &fencing.SpentError{Token: t}
	}
	return err
}

// put writes the mark, where there is one.
func (g *Guard) put(t fencing.Token) []clientv3.Op {
	if g.mark == "" {
		return nil
	}
	return []clientv3.Op{clientv3.OpPut(g.mark, t.String())}
}

// commit does operations once the holder's entry is the first, and not at all when
// it is gone.
func (g *Guard) commit(ctx context.Context, t fencing.Token, ops []clientv3.Op) (*clientv3.TxnResponse, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		resp, err := g.kv.Txn(ctx).If(
			clientv3.Compare(clientv3.CreateRevision(g.key), "=", t.Fence),
			clientv3.Compare(clientv3.CreateRevision(g.queue), ">", t.Fence-1).WithPrefix(),
		).Then(ops...).Else(
			clientv3.OpGet(g.key, clientv3.WithKeysOnly()),
			clientv3.OpGet(g.queue, append(clientv3.WithFirstCreate(), clientv3.WithKeysOnly())...),
		).Commit()
		if err != nil {
			return nil, fmt.Errorf("write under %s: %w", g.key, err)
		}
		if resp.Succeeded {
			return resp, nil
		}
		if err := g.refusal(t, resp); err != nil {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the entries before %s to go: %w", g.key, context.Cause(ctx))
		}
	}
}

// refusal is why a transaction has written nothing, and nil where the holder's own
// entry is there and only not the first yet.
func (g *Guard) refusal(t fencing.Token, resp *clientv3.TxnResponse) error {
	own, first := createRevision(resp.Responses[0]), createRevision(resp.Responses[1])
	cluster := fencing.Cluster(resp.Header.GetClusterId())
	switch {
	case cluster != t.Cluster:
		return &fencing.ClusterError{Token: t, Highest: fencing.Token{Cluster: cluster, Fence: first}}
	case own == t.Fence:
		return nil
	case first > t.Fence:
		return &fencing.StaleError{Token: t, Highest: fencing.Token{Cluster: cluster, Fence: first}}
	}
	return &fencing.StaleError{Token: t}
}

// createRevision is that of the one key that a Get found; 0 if it found none.
func createRevision(resp *pb.ResponseOp) int64 {
	for _, kv := range resp.GetResponseRange().GetKvs() {
		return kv.CreateRevision
	}
	return 0
}
