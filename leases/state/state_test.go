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

// TestRegressionIsNeverForgotten: revisions that rise again do not undo it, but
// the removal of the file does.
func TestRegressionIsNeverForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	d := open(t, path)
	if err := d.Remember(state.Memory{Cluster: 5, Revision: 100}); err != nil {
		t.Fatal(err)
	}
	file, err := d.Regress()
	if err := errors.Join(err, d.Remember(state.Memory{Cluster: 5, Revision: 200}), d.Close()); err != nil {
		t.Fatal(err)
	}
	d = open(t, path)
	if got := d.Memory(); got != (state.Memory{Cluster: 5, Revision: 100, Regressed: true}) {
		t.Errorf("memory is %+v", got)
	}
	if err := errors.Join(d.Close(), os.Remove(file)); err != nil {
		t.Fatal(err)
	}
	d = open(t, path)
	defer d.Close()
	if got := d.Memory(); got != (state.Memory{}) {
		t.Errorf("after the removal memory is %+v", got)
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
