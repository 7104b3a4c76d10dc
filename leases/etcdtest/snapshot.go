package etcdtest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Snapshot saves the store as `etcdctl snapshot save` does, for RestoreSnapshot.
func (s *Server) Snapshot(t testing.TB) (file string) {
	t.Helper()
	from, err := s.Client(t).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	file = filepath.Join(t.TempDir(), "snapshot")
	to, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if _, err := io.Copy(to, from); err != nil {
		t.Fatalf("save snapshot: %v", err)
	}
	return file
}

// RestoreSnapshot runs the member on what `etcdutl snapshot restore` makes of a
// snapshot. The cluster's id stays the same.
func (s *Server) RestoreSnapshot(t testing.TB, etcdutl, snapshot string, flags ...string) {
	t.Helper()
	s.Stop()
	data := filepath.Join(t.TempDir(), "data")
	args := append([]string{
		"snapshot", "restore", snapshot, "--data-dir", data, "--name", s.config.Name,
		"--initial-cluster", s.config.Cluster, "--initial-cluster-token", s.config.Token,
		"--initial-advertise-peer-urls", s.config.Peer,
	}, flags...)
	if out, err := exec.CommandContext(t.Context(), etcdutl, args...).CombinedOutput(); err != nil {
		t.Fatalf("restore snapshot: %v\n%s", err, out)
	}
	s.Restore(t, data)
}
