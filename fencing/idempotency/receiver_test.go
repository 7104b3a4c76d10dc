package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"lockside/fencing"
	"lockside/fencing/idempotency"
)

// stores are a new one of each kind.
func stores(t *testing.T) map[string]idempotency.Store {
	t.Helper()
	files, err := idempotency.Files(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]idempotency.Store{"files": files, "memory": idempotency.Memory()}
}

// A log is of the effects that were done.
type log struct {
	mu   sync.Mutex // guards what follows
	keys []string
}

// deliver has a receiver do a key's effect, which is to be noted.
func (l *log) deliver(ctx context.Context, r *idempotency.Receiver, k idempotency.Key) error {
	return r.Do(ctx, k, func(context.Context) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.keys = append(l.keys, k.String())
		return nil
	})
}

// TestDeliveries has deliveries come twice, out of order and late.
func TestDeliveries(t *testing.T) {
	for kind, store := range stores(t) {
		t.Run(kind, func(t *testing.T) {
			r, done := &idempotency.Receiver{Store: store}, log{}
			for i, one := range []struct {
				fence, step int64
				want        error
			}{
				{8, 0, nil}, // a claim
				{8, 0, nil},
				{8, 3, nil},
				{8, 1, nil},
				{8, 3, idempotency.ErrDuplicate},
				{8, 2, nil},
				{8, 1, idempotency.ErrDuplicate},
				{8, 2, idempotency.ErrDuplicate},
				{8, 3, idempotency.ErrDuplicate},
				{8, 5, nil},
				{10, 0, nil},
				{8, 4, fencing.ErrStale},
				{8, 5, fencing.ErrStale}, // which was done, and is forgotten
				{8, 0, fencing.ErrStale},
				{10, 5, nil},
				{11, 5, nil}, // without a claim
				{10, 6, fencing.ErrStale},
				{11, 5, idempotency.ErrDuplicate},
			} {
				err := done.deliver(t.Context(), r, idempotency.New("nightly", at(one.fence), one.step))
				if !errors.Is(err, one.want) {
					t.Errorf("delivery %d, step %d of %d: %v, want %v", i, one.step, one.fence, err, one.want)
				}
			}
			if err := done.deliver(t.Context(), r, idempotency.New("weekly", at(1), 1)); err != nil {
				t.Errorf("another name: %v", err)
			}
			want := "nightly:8@c1:3 nightly:8@c1:1 nightly:8@c1:2 nightly:8@c1:5 nightly:10@c1:5 nightly:11@c1:5 weekly:1@c1:1"
			if got := strings.Join(done.keys, " "); got != want {
				t.Errorf("done: %s\nwant: %s", got, want)
			}
		})
	}
}

// TestConcurrentDeliveries has each of many steps delivered by many at once, in any
// order.
func TestConcurrentDeliveries(t *testing.T) {
	const steps, copies = 12, 6
	for kind, store := range stores(t) {
		t.Run(kind, func(t *testing.T) {
			r, done := &idempotency.Receiver{Store: store}, log{}
			var wg sync.WaitGroup
			var succeeded atomic.Int64
			for _, i := range rand.Perm(steps * copies) {
				wg.Go(func() {
					err := done.deliver(t.Context(), r, idempotency.New("nightly", at(1), int64(i%steps+1)))
					if err == nil {
						succeeded.Add(1)
					} else if !errors.Is(err, idempotency.ErrDuplicate) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			slices.Sort(done.keys)
			if n := len(slices.Compact(slices.Clone(done.keys))); len(done.keys) != steps || n != steps || succeeded.Load() != steps {
				t.Errorf("%d effects of %d steps were done, and %d told so; want %d", len(done.keys), n, succeeded.Load(), steps)
			}
		})
	}
}

// TestOvertaken has the deliveries of several holders come in any order: what is
// done is of holders that rise, and each once.
func TestOvertaken(t *testing.T) {
	var all []idempotency.Key
	for fence := range int64(6) {
		for step := range int64(6) {
			k := idempotency.New("nightly", at(fence+1), step)
			all = append(all, k, k)
		}
	}
	for range 50 {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		r, done := &idempotency.Receiver{Store: idempotency.Memory()}, log{}
		for _, k := range all {
			if err := done.deliver(t.Context(), r, k); !idempotency.Settled(err) {
				t.Fatal(err)
			}
		}
		for i, text := range done.keys {
			k, err := idempotency.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if before, _ := idempotency.Parse(done.keys[max(0, i-1)]); before.Token.Fence > k.Token.Fence || slices.Contains(done.keys[:i], text) {
				t.Fatalf("done: %v", done.keys)
			}
		}
	}
}

// TestFailedEffect holds that what failed can be delivered again, and not by the
// holder before.
func TestFailedEffect(t *testing.T) {
	for kind, store := range stores(t) {
		t.Run(kind, func(t *testing.T) {
			r, failed := &idempotency.Receiver{Store: store}, errors.New("failed")
			k := idempotency.New("nightly", at(2), 1)
			err := r.Do(t.Context(), k, func(context.Context) error { return failed })
			if !errors.Is(err, failed) || idempotency.Settled(err) {
				t.Errorf("%v, want its own error, not settled", err)
			}
			var done log
			if err := done.deliver(t.Context(), r, idempotency.New("nightly", at(1), 1)); !errors.Is(err, fencing.ErrStale) {
				t.Errorf("the holder before: %v, want %v", err, fencing.ErrStale)
			}
			if err := errors.Join(done.deliver(t.Context(), r, k)); err != nil || len(done.keys) != 1 {
				t.Errorf("delivered again: %v, %v", err, done.keys)
			}
		})
	}
}

// TestWhatIsKept holds that it does not grow with what was done.
func TestWhatIsKept(t *testing.T) {
	dir := t.TempDir()
	store, err := idempotency.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, done := &idempotency.Receiver{Store: store}, log{}
	for fence := int64(1); fence <= 3; fence++ {
		for _, step := range rand.Perm(40) {
			if err := done.deliver(t.Context(), r, idempotency.New("nightly", at(fence), int64(step+1))); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := filepath.Join(dir, "nightly")
	if text, err := os.ReadFile(kept); err != nil || string(text) != `{"highest":"3@c1","through":40}`+"\n" {
		t.Errorf("what is kept is %s, %v", text, err)
	}
	for _, text := range []string{"", "{}", "null", `{"highest":"3@c1","through":-1}`, `{"highest":"3@c1","through":0,"beyond":[3,2]}`, "x"} {
		if err := os.WriteFile(kept, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		err := done.deliver(t.Context(), r, idempotency.New("nightly", at(9), 1))
		if err == nil || idempotency.Settled(err) || errors.Is(err, fencing.ErrToken) {
			t.Errorf("what is kept is %q: %v", text, err)
		}
	}
}

func TestStatus(t *testing.T) {
	for status, errs := range map[int][]error{
		204: {nil, fmt.Errorf("%w: 1", idempotency.ErrDuplicate), &fencing.SpentError{}},
		400: {idempotency.ErrKey, fmt.Errorf("%w: %w", idempotency.ErrKey, fencing.ErrToken)},
		409: {&fencing.ClusterError{}},
		412: {&fencing.StaleError{}},
		500: {errors.New("failed"), context.Canceled},
	} {
		for _, err := range errs {
			if got := idempotency.Status(err); got != status {
				t.Errorf("%v is answered %d, want %d", err, got, status)
			}
			if settled := status == 204 || status == 412; idempotency.Settled(err) != settled {
				t.Errorf("settled by %v: %v", err, !settled)
			}
		}
	}
}
