package durable

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestLockIsOfOneCaller(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error)
	go func() {
		_, err := Lock(ctx, path)
		waiting <- err
	}()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("a second caller: %v, want that its context ended", err)
	}
	unlock()
	unlock, err = Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// keepers are both that keep data by name; a second one of the files has what the
// first one kept.
func keepers(t *testing.T) map[string][2]func(context.Context, string) (*Held, error) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	first, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var memory Memory
	return map[string][2]func(context.Context, string) (*Held, error){
		"files":  {first.Hold, second.Hold},
		"memory": {memory.Hold, memory.Hold},
	}
}

func TestHoldIsOfOneCaller(t *testing.T) {
	for kind, hold := range keepers(t) {
		t.Run(kind, func(t *testing.T) {
			var wg sync.WaitGroup
			for i := range 40 {
				wg.Go(func() {
					h, err := hold[i%2](t.Context(), "name")
					if err != nil {
						t.Error(err)
						return
					}
					defer h.Release()
					if err := h.Save(fmt.Append(h.Data, "x")); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			h, err := hold[0](t.Context(), "name")
			if err != nil {
				t.Fatal(err)
			}
			defer h.Release()
			if len(h.Data) != 40 {
				t.Errorf("%d callers of 40 had it for themselves", len(h.Data))
			}
			other, err := hold[1](t.Context(), "other") // while name is held
			if err != nil {
				t.Fatal(err)
			}
			other.Release()
			if other.Data != nil {
				t.Errorf("other has %q", other.Data)
			}
		})
	}
}

func TestHoldEndsWithItsContext(t *testing.T) {
	for kind, hold := range keepers(t) {
		t.Run(kind, func(t *testing.T) {
			h, err := hold[0](t.Context(), "name")
			if err != nil {
				t.Fatal(err)
			}
			defer h.Release()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			for _, hold := range hold {
				if _, err := hold(ctx, "name"); !errors.Is(err, context.Canceled) {
					t.Errorf("%v, want that the context ended", err)
				}
			}
		})
	}
}

func TestFileNames(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"", ".", "..", "a", "A", "a/b", "a%2Fb", "a.lock", "a.new", "%-", "\x00",
		strings.Repeat("a", longest), strings.Repeat("a", longest+1), strings.Repeat("/", longest), "ä",
	} {
		file := fileName(name)
		if before, found := seen[file]; found {
			t.Errorf("%q and %q are one file", before, name)
		}
		seen[file] = name
		if len(file) > longest || strings.ContainsAny(file, "./\x00") {
			t.Errorf("the file of %q is %q", name, file)
		}
	}
}
