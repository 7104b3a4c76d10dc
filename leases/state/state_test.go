package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lockside/leases/state"
)

func open(t *testing.T, path string) *state.Dir {
	t.Helper()
	d, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestStateOutlivesTheDaemon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	d := open(t, path)
	for _, id := range []int64{0x694d, 7, 9, 9} {
		if err := d.AddLease(id); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(d.RemoveLease(7), d.Remember(state.Memory{Cluster: 5, Revision: 100}), d.Remember(state.Memory{Cluster: 5, Revision: 101})); err != nil {
		t.Fatal(err)
	}
	if _, err := state.Open(path); !errors.Is(err, state.ErrInUse) {
		t.Errorf("a second Open says %v, want ErrInUse", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}

	d = open(t, path)
	defer d.Close()
	if got := d.Leases(); !slices.Equal(got, []int64{0x694d, 9}) {
		t.Errorf("leases are %x", got)
	}
	if got := d.Memory(); got != (state.Memory{Cluster: 5, Revision: 101}) {
		t.Errorf("memory is %+v", got)
	}
}

// TestRegressionIsForgottenByAcceptAlone: revisions that rise again do not undo it.
// What is accepted is remembered, and more after it.
func TestRegressionIsForgottenByAcceptAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	d := open(t, path)
	again := func(want state.Memory) {
		t.Helper()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d = open(t, path)
		if got := d.Memory(); got != want {
			t.Errorf("memory is %+v, want %+v", got, want)
		}
	}
	if err := errors.Join(d.Remember(state.Memory{Cluster: 5, Revision: 100}), d.Regress(), d.Remember(state.Memory{Cluster: 5, Revision: 200})); err != nil {
		t.Fatal(err)
	}
	again(state.Memory{Cluster: 5, Revision: 100, Regressed: true})
	if err := d.Accept(state.Memory{Cluster: 6, Revision: 7}); err != nil {
		t.Fatal(err)
	}
	again(state.Memory{Cluster: 6, Revision: 7})
	if err := errors.Join(d.Accept(state.Memory{Cluster: 6, Revision: 8}), d.Remember(state.Memory{Cluster: 6, Revision: 9})); err != nil {
		t.Fatal(err)
	}
	again(state.Memory{Cluster: 6, Revision: 9})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAcceptHalfDoneChangesNothing: what a crash leaves of an acceptance that was
// not in place yet is nothing, and is in nobody's way.
func TestAcceptHalfDoneChangesNothing(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	before := state.Memory{Cluster: 5, Revision: 100, Regressed: true}
	if err := errors.Join(d.Remember(before), d.Close(), os.WriteFile(filepath.Join(path, "revision.new"), []byte("cluster 0000000000000006 revis"), 0o600)); err != nil {
		t.Fatal(err)
	}
	d = open(t, path)
	defer d.Close()
	if got := d.Memory(); got != before {
		t.Errorf("memory is %+v", got)
	}
	if err := d.Accept(state.Memory{Cluster: 6, Revision: 7}); err != nil {
		t.Error(err)
	}
}

func TestDamagedFilesAreNotTakenForEmpty(t *testing.T) {
	for _, name := range []string{"leases", "revision"} {
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, name), []byte("garbage\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if d, err := state.Open(path); err == nil {
			d.Close()
			t.Errorf("a damaged %s file was taken", name)
		}
	}
}

// TestAcceptThatFailsChangesNothing: what cannot be written is not accepted.
func TestAcceptThatFailsChangesNothing(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	defer d.Close()
	before := state.Memory{Cluster: 5, Revision: 100, Regressed: true}
	inTheWay := filepath.Join(path, "revision.new")
	if err := errors.Join(d.Remember(before), os.Mkdir(inTheWay, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := d.Accept(state.Memory{Cluster: 6, Revision: 7}); err == nil || d.Memory() != before {
		t.Errorf("memory is %+v after %v", d.Memory(), err)
	}
	after := state.Memory{Cluster: 6, Revision: 7}
	if err := errors.Join(os.Remove(inTheWay), d.Accept(after)); err != nil || d.Memory() != after {
		t.Errorf("memory is %+v after %v", d.Memory(), err)
	}
}
