package faults_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/daemon/faults/history"
	"lockside/ipc"
)

// A record is what the clients of one test were told and did, in one history
// that is checked when the test ends, and the resources that their locks guard.
type record struct {
	t        testing.TB
	recorder *history.Recorder

	mu        sync.Mutex // guards what follows
	clients   int
	grants    int
	resources map[string]*resource
}

func newRecord(t testing.TB) *record {
	r := &record{t: t, recorder: history.NewRecorder(), resources: map[string]*resource{}}
	t.Cleanup(r.check)
	return r
}

// check holds that no promise was broken in what was told.
func (r *record) check() {
	events := r.recorder.Take()
	found := history.Check(events)
	for _, v := range found[:min(len(found), 5)] {
		r.t.Error(v.String())
	}
	r.t.Logf("a history of %d events and %d grants has %d violations", len(events), r.count(), len(found))
}

// client makes a name for one.
func (r *record) client(of string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clients++
	return fmt.Sprintf("%s#%d", of, r.clients)
}

// count is how many grants there were.
func (r *record) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.grants
}

func (r *record) asks(who, host string, names ...string) {
	r.recorder.Record(history.Event{Kind: history.Asked, Client: who, Host: host, Names: names})
}

func (r *record) granted(who string, g grant, names ...string) {
	r.recorder.Record(history.Event{Kind: history.Granted, Client: who, Names: names, Fence: g.fence, Lease: g.lease})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.grants++
}

func (r *record) refused(who string, code ipc.Code) {
	r.recorder.Record(history.Event{Kind: history.Refused, Client: who, Reason: string(code)})
}

func (r *record) lost(who string, reason ipc.Reason) {
	r.recorder.Record(history.Event{Kind: history.Lost, Client: who, Reason: string(reason)})
}

func (r *record) unlocking(who, name string) {
	r.recorder.Record(history.Event{Kind: history.Unlocking, Client: who, Names: []string{name}})
}

func (r *record) unlocked(who, name string) {
	r.recorder.Record(history.Event{Kind: history.Unlocked, Client: who, Names: []string{name}})
}

func (r *record) closing(who string) {
	r.recorder.Record(history.Event{Kind: history.Closing, Client: who})
}

// A resource is what a lock guards. It refuses lower fences than it has seen.
type resource struct {
	mu           sync.Mutex // guards what follows
	fence, value int64
}

// resource is the one of a name.
func (r *record) resource(name string) *resource {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resources[name] == nil {
		r.resources[name] = &resource{}
	}
	return r.resources[name]
}

// use has a client read the resource of a name and write to it, with the fence
// that it was granted, whether or not it holds the name still.
func (r *record) use(who, name string, fence int64) {
	for _, kind := range []history.Kind{history.Read, history.Wrote} {
		begin := r.recorder.Now()
		value, denied := r.resource(name).use(fence, kind == history.Wrote)
		r.recorder.Record(history.Event{
			Kind: kind, Client: who, Names: []string{name}, Fence: fence, Value: value, Denied: denied, Begin: begin,
		})
	}
}

// use returns what was read, or what is written: the next number.
func (s *resource) use(fence int64, write bool) (value int64, denied bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fence < s.fence {
		return 0, true
	}
	s.fence = fence
	if write {
		s.value++
	}
	return s.value, false
}

// has is what somebody does who was granted a name: he uses it for a while.
func (r *record) has(who, host, name string, g grant, d time.Duration) {
	r.asks(who, host, name)
	r.granted(who, g, name)
	r.use(who, name, g.fence)
	time.Sleep(d)
	r.use(who, name, g.fence)
	r.closing(who)
}

// nothingLeft waits until no entry is left in etcd.
func (r *record) nothingLeft(etcd *clientv3.Client) {
	r.t.Helper()
	eventually(r.t, patience, "end of all entries", func() bool {
		left, err := history.Left(soon(r.t), etcd, "lockside/")
		return err == nil && len(left.Entries) == 0
	})
}

// TestRecordFindsAnOverlap: what the network tests tell is enough to convict.
func TestRecordFindsAnOverlap(t *testing.T) {
	r := &record{t: t, recorder: history.NewRecorder(), resources: map[string]*resource{}}
	for i, who := range []string{"a", "b"} {
		r.asks(who, "host", "nightly")
		r.granted(who, grant{fence: int64(2 - i)}, "nightly")
		r.use(who, "nightly", int64(2-i))
	}
	var rules []history.Rule
	for _, v := range history.Check(r.recorder.Take()) {
		rules = append(rules, v.Rule)
	}
	if want := []history.Rule{history.NotRising, history.Overlap}; !slices.Equal(rules, want) {
		t.Errorf("two that have one name are found to be %v, want %v", rules, want)
	}
}
