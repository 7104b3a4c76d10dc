package daemon_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/fencing"
	"lockside/fencing/etcdguard"
	"lockside/ipc"
)

// TestFencesInEtcd has sessions of one host hand over a name, each of which goes on
// to write after it has given the name up, until etcdguard refuses it. What was
// written, in the order of etcd's revisions, has fences that never fall: not even
// between a local hand-off and the deletion of the entry before.
func TestFencesInEtcd(t *testing.T) {
	const workers, rounds = 4, 40
	h, bystander := beside(t)
	begin, err := h.etcd.Get(t.Context(), "app/")
	if err != nil {
		t.Fatal(err)
	}
	client, err := ipc.Dial(t.Context(), h.socket)
	if err != nil {
		t.Fatal(err)
	}
	var holders, late sync.WaitGroup
	for range workers {
		holders.Go(func() {
			for range rounds {
				if err := writeUnderLock(t, h.etcd, client, &late); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	holders.Wait()
	late.Wait()
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if n := fencesRise(t, h.etcd, begin.Header.Revision+1); n <= workers*rounds {
		t.Errorf("there were %d writes, want more than %d", n, workers*rounds)
	}
	bystander.alone()
}

// writeUnderLock claims and writes under a lock of its own, and then beyond it.
func writeUnderLock(t *testing.T, etcd *clientv3.Client, client *ipc.Client, late *sync.WaitGroup) error {
	lock, err := client.Lock(t.Context(), "data")
	if err != nil {
		return err
	}
	guard, err := etcdguard.New(etcd, lock.Key(), "app/claimed")
	if err != nil {
		return err
	}
	token := fencing.Token{Cluster: fencing.Cluster(lock.Cluster()), Fence: lock.Fence()}
	put := []clientv3.Op{clientv3.OpPut("app/data", strconv.FormatInt(token.Fence, 10))}
	if err := errors.Join(guard.Claim(t.Context(), token), guard.Write(t.Context(), token, put)); err != nil {
		return err
	}
	late.Go(func() {
		for err := error(nil); err == nil; {
			if err = guard.Write(t.Context(), token, put); err != nil && !errors.Is(err, fencing.ErrStale) {
				t.Errorf("a late write: %v", err)
			}
		}
	})
	return lock.Unlock(t.Context())
}

// fencesRise checks what was written to the data since a revision, and tells how
// many writes that were.
func fencesRise(t *testing.T, etcd *clientv3.Client, since int64) (writes int) {
	end, err := etcd.Put(t.Context(), "app/data", strconv.FormatInt(1<<62, 10))
	if err != nil {
		t.Fatal(err)
	}
	highest := int64(0)
	for resp := range etcd.Watch(t.Context(), "app/data", clientv3.WithRev(since)) {
		for _, event := range resp.Events {
			fence := number(t, string(event.Kv.Value))
			if fence < highest {
				t.Errorf("revision %d is a write with fence %d after one with %d", event.Kv.ModRevision, fence, highest)
			}
			highest = max(highest, fence)
			writes++
			if event.Kv.ModRevision == end.Header.Revision {
				return writes
			}
		}
	}
	t.Fatalf("the watch ended: %v", t.Context().Err())
	return 0
}
