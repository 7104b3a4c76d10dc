package embedded_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"lockside/daemon/embedded"
)

func TestASecondMemberIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := start(t, embedded.Options{Dir: dir})
	if _, err := embedded.Start(t.Context(), embedded.Options{Dir: dir}); !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("got %v", err)
	}
	put(t, connect(t, s.Endpoint()), "a", "b")
}

// data makes the data of a member that has stopped and returns their
// directory.
func data(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s := start(t, embedded.Options{Dir: dir})
	put(t, connect(t, s.Endpoint()), "a", "b")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDataOfAnotherVersionAreRefused(t *testing.T) {
	dir := data(t)
	for _, test := range []struct{ bucket, key, version string }{
		{"cluster", "clusterVersion", "3.99.0"},
		{"cluster", "clusterVersion", "3.4.0"},
		{"cluster", "clusterVersion", "4.0.0"},
		{"meta", "storageVersion", "3.99.0"},
	} {
		before := setVersion(t, dir, test.bucket, test.key, test.version)
		_, err := embedded.Start(t.Context(), embedded.Options{Dir: dir})
		if !errors.Is(err, embedded.ErrVersion) || !strings.Contains(err.Error(), strings.TrimSuffix(test.version, ".0")) {
			t.Errorf("%s %s: got %v", test.key, test.version, err)
		}
		setVersion(t, dir, test.bucket, test.key, before)
	}
	start(t, embedded.Options{Dir: dir})
}

// setVersion replaces a version in stopped data and returns the one before.
func setVersion(t *testing.T, dir, bucket, key, version string) (before string) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "member", "snap", "db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bucket))
		before = string(b.Get([]byte(key)))
		return b.Put([]byte(key), []byte(version))
	})
	if err != nil || before == "" {
		t.Fatalf("%s was %q, %v", key, before, err)
	}
	return before
}

// TestDataOfARunningEtcdAreRefused has only etcd's own lock to go by.
func TestDataOfARunningEtcdAreRefused(t *testing.T) {
	dir := data(t)
	db, err := bbolt.Open(filepath.Join(dir, "member", "snap", "db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := embedded.Start(t.Context(), embedded.Options{Dir: dir}); !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("got %v", err)
	}
}

func TestDamagedDataAreRefused(t *testing.T) {
	dir := data(t)
	path := filepath.Join(dir, "member", "snap", "db")
	if err := os.WriteFile(path, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := embedded.Start(t.Context(), embedded.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "move the directory away") {
		t.Errorf("got %v", err)
	}
}

func TestADamagedLogIsRefused(t *testing.T) {
	dir := data(t)
	files, err := filepath.Glob(filepath.Join(dir, "member", "wal", "*.wal"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no log: %v", err)
	}
	log, err := os.OpenFile(files[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.WriteAt([]byte("no log"), 40); err != nil {
		t.Fatal(err)
	}
	log.Close()
	_, err = embedded.Start(t.Context(), embedded.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), dir+": walpb: crc mismatch") {
		t.Errorf("got %v", err)
	}
}
