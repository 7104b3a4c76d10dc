package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sys/unix"

	"lockside/daemon/faults/history"
	"lockside/daemon/faults/netns"
	"lockside/leases/keys"
)

// longest is how long a mishap lasts at most, which is longer than a short lease.
const longest = 6 * time.Second

// frozenDaemon is how long a daemon may be frozen: what hangs for longer than the
// margin the watchdog kills.
const frozenDaemon = margin / 2

// lanes are all that can go wrong, each with those that must not meet.
func (b *bench) lanes(t testing.TB) []lane {
	etcd := b.cluster.Client(t)
	return []lane{
		b.linkLane(b.members, b.Hosts()[3:]),
		b.linkLane(b.members, b.members),
		b.memberLane(t),
		b.daemonLane(t),
		b.storeLane(t, etcd),
	}
}

// badLink is a random way in which a link can be bad.
func badLink(random *rand.Rand) (netns.Link, string) {
	switch random.IntN(4) {
	case 0:
		return netns.Link{Reject: true}, "REJECT"
	case 1:
		loss := 0.1 + random.Float64()/2
		return netns.Link{Loss: loss}, fmt.Sprintf("%.0f %% loss", 100*loss)
	case 2:
		delay := between(random, 10*time.Millisecond, 2*time.Second)
		return netns.Link{Delay: delay}, fmt.Sprintf("delay %v", delay)
	}
	return netns.Link{Loss: 1}, "DROP"
}

// linkLane has the links between some hosts and others be bad, one way or both, or
// takes one's link away.
func (b *bench) linkLane(some, others []*netns.Host) lane {
	return func(random *rand.Rand) mishap {
		near, far := oneOrAll(random, some), oneOrAll(random, others)
		m := mishap{lasts: between(random, 100*time.Millisecond, longest)}
		if random.IntN(8) == 0 {
			m.text = fmt.Sprintf("link of %v down", far[0].Addr)
			m.do, m.undo = func() { _ = far[0].Down() }, func() { _ = far[0].Up() } // a host that is there
			return m
		}
		link, text := badLink(random)
		if random.IntN(2) == 0 {
			near, far = far, near
		}
		set, way := b.Set, "from %v to %v"
		if random.IntN(2) == 0 {
			set, way = b.Between, "between %v and %v"
		}
		m.text = text + " " + fmt.Sprintf(way, addresses(near), addresses(far))
		m.do, m.undo = func() { set(link, near, far) }, func() { set(netns.Link{}, near, far) }
		return m
	}
}

// oneOrAll are all hosts once in three times.
func oneOrAll(random *rand.Rand, all []*netns.Host) []*netns.Host {
	i := random.IntN(len(all))
	if random.IntN(3) == 0 {
		return all
	}
	return all[i : i+1]
}

func addresses(hosts []*netns.Host) (all []string) {
	for _, h := range hosts {
		all = append(all, h.Addr.String())
	}
	return all
}

// memberLane freezes or kills one member at a time.
func (b *bench) memberLane(t testing.TB) lane {
	return func(random *rand.Rand) mishap {
		i := random.IntN(len(b.cluster.Members))
		m := b.cluster.Members[i]
		lasts := between(random, 100*time.Millisecond, longest)
		if random.IntN(2) == 0 {
			return mishap{lasts: lasts, text: fmt.Sprintf("member %d frozen", i), do: func() { m.Stop(t) }, undo: func() { m.Cont(t) }}
		}
		return mishap{lasts: lasts, text: fmt.Sprintf("member %d killed", i), do: func() { m.Kill(t) }, undo: func() { m.Restart(t) }}
	}
}

// daemonLane freezes daemons for a while, kills and restarts them, or has them go on in
// another program.
func (b *bench) daemonLane(t testing.TB) lane {
	return func(random *rand.Rand) mishap {
		s := b.sites[random.IntN(len(b.sites))]
		kill := func() {
			s.process.kill()
			b.told.recorder.Record(history.Event{Kind: history.Gone, Host: s.config.Host})
		}
		restart := func() { s.start(t) }
		freeze := func() { s.process.freeze() }
		switch random.IntN(4) {
		case 0:
			goOn := func() { s.process.signal(unix.SIGCONT) }
			return mishap{lasts: frozenDaemon, text: s.config.Host + " frozen", do: freeze, undo: goOn}
		case 1:
			return mishap{text: s.config.Host + " upgraded", do: func() { s.process.signal(unix.SIGHUP) }}
		case 2:
			return mishap{lasts: frozenDaemon, text: s.config.Host + " frozen, and killed for it", do: freeze, undo: func() { kill(); restart() }}
		}
		return mishap{lasts: between(random, 0, longest), text: s.config.Host + " killed", do: kill, undo: restart}
	}
}

// storeLane does what operators do to etcd, and what others do to entries. Etcd
// may not answer just then, which is no matter.
func (b *bench) storeLane(t testing.TB, etcd *clientv3.Client) lane {
	s := &storm{cluster: b.cluster, etcd: etcd}
	return func(random *rand.Rand) mishap {
		pick := random.IntN(3 * 5 * 7)
		deeds := []struct {
			text string
			do   func(context.Context) error
		}{
			{"leader moved", func(ctx context.Context) error { return s.moveTo(ctx, t, pick%3) }},
			{"defragmented", func(ctx context.Context) error { return s.defragmentOne(ctx, pick%3) }},
			{"compacted", s.compactAll},
			{"lease of an entry revoked", func(ctx context.Context) error { return b.tamper(ctx, etcd, pick, true) }},
			{"entry deleted", func(ctx context.Context) error { return b.tamper(ctx, etcd, pick, false) }},
		}
		deed := deeds[random.IntN(len(deeds))]
		return mishap{text: deed.text, do: func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := deed.do(ctx); err != nil {
				t.Logf("%s: %v", deed.text, err)
			}
		}}
	}
}

// tamper takes an entry from etcd, or the lease that it hangs on.
func (b *bench) tamper(ctx context.Context, etcd *clientv3.Client, pick int, lease bool) error {
	resp, err := etcd.Get(ctx, "lockside/", clientv3.WithPrefix())
	if err != nil || len(resp.Kvs) == 0 {
		return err
	}
	kv := resp.Kvs[pick%len(resp.Kvs)]
	if lease {
		b.told.recorder.Record(history.Event{Kind: history.Removing, Lease: kv.Lease})
		_, err = etcd.Revoke(ctx, clientv3.LeaseID(kv.Lease))
		return err
	}
	name, _, ok := keys.Split("lockside/", string(kv.Key))
	if !ok {
		return nil // a daemon's own
	}
	b.told.recorder.Record(history.Event{Kind: history.Removing, Names: []string{name}, Fence: kv.CreateRevision})
	_, err = etcd.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(string(kv.Key)), "=", kv.CreateRevision)).
		Then(clientv3.OpDelete(string(kv.Key))).Commit()
	return err
}
