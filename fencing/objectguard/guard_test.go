package objectguard_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/objectguard"
)

// resource is the suite's view of an object in a store.
func resource(store *memory) *fencingtest.Resource[[]byte] {
	guard := objectguard.New(store, "object")
	var tokens fencingtest.Tokens
	return &fencingtest.Resource[[]byte]{
		Grant: func(context.Context) (fencingtest.Holder[[]byte], error) {
			return fencingtest.Holder[[]byte]{Guard: guard, Token: tokens.Next()}, nil
		},
		Set: func(value string) []byte { return []byte(value) },
		Value: func(ctx context.Context) (string, error) {
			body, _, err := guard.Read(ctx)
			return string(body), err
		},
	}
}

// TestSuite runs the suite with a store that answers, and with one whose client
// sends each put twice. Time is that of the bubble, so that the store takes as long
// as is said and no longer, and pauses take none.
func TestSuite(t *testing.T) {
	for name, always := range map[string]bool{"answers": false, "resends": true} {
		for _, c := range fencingtest.Cases[[]byte]() {
			t.Run(name+", "+c.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := &memory{always: always, takes: time.Millisecond}
					if err := c.Run(t.Context(), resource(store)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
						t.Error(err)
					}
				})
			})
		}
	}
}

func token(fence int64) fencing.Token { return fencing.Token{Cluster: 0xab, Fence: fence} }

// holds checks an object's body and the token that it has seen.
func holds(t *testing.T, guard *objectguard.Guard, want string, seen int64) {
	t.Helper()
	body, highest, err := guard.Read(t.Context())
	if err != nil || string(body) != want || highest != token(seen) {
		t.Errorf("it holds %q and has seen %v, %v; want %q and %v", body, highest, err, want, token(seen))
	}
}

// TestWhatBecameOfAWrite has a put be answered by an error, and others write before
// the guard looks again.
func TestWhatBecameOfAWrite(t *testing.T) {
	for name, test := range map[string]struct {
		done   bool  // the put
		answer error // to it
		others int   // writes of others after it
		fence  int64 // of theirs
		want   error // nil for none, errLost for any that is no refusal
	}{
		"lost, done":                               {true, errLost, 0, 0, nil},
		"lost, done and replaced":                  {true, errLost, 5, 9, nil},
		"lost, done and replaced beyond memory":    {true, errLost, 32, 9, errLost},
		"lost, not done":                           {false, errLost, 0, 0, errLost},
		"refused, done":                            {true, objectguard.ErrChanged, 0, 0, nil},
		"refused, done and replaced":               {true, objectguard.ErrChanged, 31, 9, nil},
		"refused, done and replaced beyond memory": {true, objectguard.ErrChanged, 32, 9, errLost},
		"refused, not done":                        {false, objectguard.ErrChanged, 0, 0, nil},
		"refused, for one of the same token":       {false, objectguard.ErrChanged, 3, 8, nil},
		"refused, for one of a greater token":      {false, objectguard.ErrChanged, 31, 9, fencing.ErrStale},
		"refused, for more than are remembered":    {false, objectguard.ErrChanged, 32, 9, errLost},
	} {
		t.Run(name, func(t *testing.T) {
			store := &memory{}
			guard := objectguard.New(store, "object")
			if err := guard.Claim(t.Context(), token(8)); err != nil {
				t.Fatal(err)
			}
			meddle := func(put int) error {
				if put != 2 {
					return nil
				}
				for i := range test.others {
					if err := guard.Write(t.Context(), token(test.fence), fmt.Append(nil, "other", i)); err != nil {
						t.Fatal(err)
					}
				}
				return test.answer
			}
			if store.before = meddle; test.done {
				store.before, store.after = nil, meddle
			}
			err := guard.Write(t.Context(), token(8), []byte("ours"))
			switch {
			case test.want == errLost:
				if err == nil || errors.Is(err, fencing.ErrStale) {
					t.Errorf("%v, want an error that is no refusal", err)
				}
			case !errors.Is(err, test.want):
				t.Errorf("%v, want %v", err, test.want)
			}
			if test.others == 0 && err == nil || test.fence == 8 {
				holds(t, guard, "ours", 8)
			}
		})
	}
}

// TestDeletedMeanwhile holds that a write is not told to be undone when nobody can
// know.
func TestDeletedMeanwhile(t *testing.T) {
	store := &memory{}
	guard := objectguard.New(store, "object")
	if err := guard.Claim(t.Context(), token(8)); err != nil {
		t.Fatal(err)
	}
	store.after = func(int) error {
		store.mu.Lock()
		defer store.mu.Unlock()
		delete(store.objects, "object")
		return objectguard.ErrChanged
	}
	if err := guard.Write(t.Context(), token(8), []byte("ours")); err == nil || errors.Is(err, fencing.ErrStale) {
		t.Errorf("%v", err)
	}
}

// TestGivesUp holds that a guard that is never let in ends, and when the context
// does.
func TestGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	store := &memory{before: func(put int) error {
		if put == 3 {
			cancel()
		}
		return objectguard.ErrChanged
	}}
	if err := objectguard.New(store, "object").Claim(ctx, token(8)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want it cancelled", err)
	}
	if store.puts != 3 {
		t.Errorf("%d puts, want 3", store.puts)
	}
}

func TestUnfencedObjects(t *testing.T) {
	long := strings.Repeat(" ABCDEFGHABCDE", 33)
	for _, object := range []string{
		"", "data", "lockside-fence 8", "lockside-fence 8 A", "lockside-fence 8\nx", "lockside-fence 0 A\nx", "lockside-fence 0@ A\nx", "lockside-fence 0@xy A\nx", "lockside-fence s8 A\nx",
		"lockside-fence  8 A\nx", "lockside-fence 8 A \nx", "Lockside-fence 8 A\nx", "lockside-fence 8" + long + "\nx",
		"lockside-fence 8 " + strings.Repeat("A", 1100) + "\nx", "lockside-fence 8 " + strings.Repeat("A", 65) + "\nx",
	} {
		store := &memory{objects: map[string][]byte{"object": []byte(object)}}
		guard := objectguard.New(store, "object")
		for call, err := range map[string]error{
			"Claim": guard.Claim(t.Context(), token(8)),
			"Write": guard.Write(t.Context(), token(8), nil),
		} {
			if !errors.Is(err, objectguard.ErrUnfenced) || errors.Is(err, fencing.ErrToken) {
				t.Errorf("%s of %.40q: %v, want %v", call, object, err, objectguard.ErrUnfenced)
			}
		}
		if _, _, err := guard.Read(t.Context()); !errors.Is(err, objectguard.ErrUnfenced) {
			t.Errorf("%.40q is read: %v", object, err)
		}
	}
}

// TestSetByHand holds what the documentation says of a new cluster.
func TestSetByHand(t *testing.T) {
	store := &memory{objects: map[string][]byte{"object": []byte("lockside-fence 0@ab X\nbody")}}
	guard := objectguard.New(store, "object")
	err := guard.Claim(t.Context(), fencing.Token{Cluster: 0xcd, Fence: 9000})
	if other, ok := errors.AsType[*fencing.ClusterError](err); !ok || other.Highest != (fencing.Token{Cluster: 0xab}) {
		t.Errorf("a claim with a token of the old cluster: %v", err)
	}
	if err := guard.Claim(t.Context(), token(1)); err != nil {
		t.Error(err)
	}
	holds(t, guard, "body", 1)
}

// TestLongIDs has a line full of the ids of other programs, which are as long as
// they may be: guards go on writing it.
func TestLongIDs(t *testing.T) {
	line := "lockside-fence 9223372036854775807@ffffffffffffffff" + strings.Repeat(" "+strings.Repeat("A", 64), 32)
	store := &memory{objects: map[string][]byte{"object": []byte(line + "\nbody")}}
	guard := objectguard.New(store, "object")
	for range 2 {
		if err := guard.Claim(t.Context(), fencing.Token{Cluster: 1<<64 - 1, Fence: 1<<63 - 1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, body, err := objectguard.Parse(store.objects["object"]); err != nil || string(body) != "body" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestParse(t *testing.T) {
	seen, body, err := objectguard.Parse([]byte("lockside-fence 8123@cdf818194e3a8c32 B A\none\ntwo\n"))
	if err != nil || seen != (fencing.Token{Cluster: 0xcdf818194e3a8c32, Fence: 8123}) || string(body) != "one\ntwo\n" {
		t.Errorf("%v, %q, %v", seen, body, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("lockside-fence 8123@cdf818194e3a8c32 B A\none\ntwo\n"))
	f.Add([]byte("lockside-fence 8 A\n"))
	f.Fuzz(func(t *testing.T, object []byte) {
		seen, body, err := objectguard.Parse(object)
		if err != nil || seen.Fence == 0 {
			return
		}
		store := &memory{objects: map[string][]byte{"object": object}}
		guard := objectguard.New(store, "object")
		if err := guard.Claim(t.Context(), seen); err != nil {
			t.Fatal(err)
		}
		again, kept, err := objectguard.Parse(store.objects["object"])
		if err != nil || again != seen || string(kept) != string(body) {
			t.Errorf("%q becomes %q: %v", object, store.objects["object"], err)
		}
	})
}
