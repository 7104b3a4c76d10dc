package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// enoughGrants is how often the name of TestPromise01Order changes hands.
const enoughGrants = 150

// TestPromise01Order: sessions of three hosts and mutexes crowd for one name,
// give it up in every way there is, while the leader moves and history goes.
// There is one holder at a time, fences rise, and nothing is left.
func TestPromise01Order(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	etcd := cluster.Client(t)
	told := newRecord(t)
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	var crowd sync.WaitGroup
	for i, name := range []string{"a", "b", "c"} {
		h := rider(t, name, cluster.Endpoints())
		for j := range 4 {
			m := member{who: fmt.Sprintf("%s/%d", name, j), told: told, random: rand.New(rand.NewPCG(uint64(i), uint64(j)))}
			crowd.Go(func() { m.sessions(ctx, t, h) })
		}
	}
	for j := range 2 {
		lock := newMutex(t, etcd, "crowded")
		m := member{who: fmt.Sprintf("mutex/%d", j), told: told, random: rand.New(rand.NewPCG(9, uint64(j)))}
		crowd.Go(func() { m.mutexes(ctx, t, lock) })
	}
	for told.count() < enoughGrants && ctx.Err() == nil {
		moveLeader(t, cluster)
		compact(t, cluster)
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond): // a cluster without a leader grants nothing
		}
	}
	cancel()
	crowd.Wait()
	nothingLeft(t, etcd, 2*time.Second)
	if told.count() < enoughGrants {
		t.Errorf("only %d grants", told.count())
	}
}

// A member of the crowd takes the name and gives it up again and again.
type member struct {
	who    string
	told   *record
	random *rand.Rand
}

// pause is for how long the name is held.
func (m *member) pause() time.Duration {
	return time.Duration(m.random.IntN(3000)) * time.Microsecond
}

func (m *member) sessions(ctx context.Context, t *testing.T, h *host) {
	c := h.dial(t)
	for ctx.Err() == nil {
		bounded := m.random.IntN(4) == 0
		request := "LOCK crowded"
		if bounded {
			request += fmt.Sprintf(" wait=%dms", 1+m.random.IntN(30))
		}
		m.told.asks(m.who, h.config.Host, "crowded")
		c.send(request)
		r, _, err := c.reply()
		switch {
		case err != nil || r.Event != "":
			t.Errorf("%s: %s, %v", m.who, r.Append(nil), err)
			return
		case r.Code == ipc.CodeTimeout, r.Code == ipc.CodeUnavailable && bounded:
			m.told.refused(m.who, r.Code)
			continue
		case r.Code != "":
			t.Errorf("%s: %s", m.who, r.Append(nil))
			return
		}
		m.told.granted(m.who, grantOf(r), "crowded")
		m.told.use(m.who, "crowded", r.Fields.Int("fence"))
		time.Sleep(m.pause())
		if m.random.IntN(2) == 0 {
			m.told.unlocking(m.who, "crowded")
			c.unlock("crowded")
			m.told.unlocked(m.who, "crowded")
		} else {
			m.told.closing(m.who)
			c.hangUp()
			c = h.dial(t)
		}
	}
	c.hangUp()
}

func (m *member) mutexes(ctx context.Context, t *testing.T, lock mutex) {
	for ctx.Err() == nil {
		if err := lock.Lock(ctx); err != nil {
			break // the time is over
		}
		resp, err := lock.session.Client().Get(soon(t), lock.Key())
		if err != nil || len(resp.Kvs) != 1 {
			t.Errorf("%s: %+v, %v", m.who, resp, err)
			return
		}
		m.told.has(m.who, "", "crowded", grant{fence: resp.Kvs[0].CreateRevision}, m.pause())
		for err := lock.Unlock(ctx); err != nil && ctx.Err() == nil; err = lock.Unlock(ctx) {
			t.Logf("%s: %v", m.who, err) // a leader that moves fails requests
		}
	}
	err := lock.session.Close() // with it goes what is still locked
	for end := soon(t); err != nil && !errors.Is(err, rpctypes.ErrLeaseNotFound) && end.Err() == nil; {
		err = lock.session.Close()
	}
}
