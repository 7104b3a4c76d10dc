package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/coreos/go-semver/semver"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
	"go.etcd.io/etcd/api/v3/version"
	"go.etcd.io/etcd/server/v3/storage/datadir"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"golang.org/x/sys/unix"
)

// ErrVersion means that the data are of an etcd that this one cannot follow.
var ErrVersion = errors.New("data of another etcd version")

// dirLock is a descriptor whose lock on a directory ends with it. It is no
// os.File, which the garbage collector would close under a member that runs.
type dirLock int

// lockDir makes the data directory, this user's alone, and locks it. Etcd would
// wait for its own lock for ever. The lock file is never removed, or two
// processes could lock two files.
func lockDir(dir string) (dirLock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("make data directory: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return 0, fmt.Errorf("protect data directory: %w", err)
	}
	path := filepath.Join(dir, "lock")
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", path, err)
	}
	switch err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err {
	case nil:
		return dirLock(fd), nil
	case unix.EWOULDBLOCK:
		err = inUse(dir)
	default:
		err = fmt.Errorf("lock %s: %w", path, err)
	}
	return 0, errors.Join(err, unix.Close(fd))
}

func (l dirLock) release() error { return unix.Close(int(l)) }

func inUse(dir string) error {
	return fmt.Errorf("%w: another process uses %s; stop it, or choose another state directory", ErrInUse, dir)
}

// checkVersion refuses data that etcd would not start on, before it does worse
// than refuse: it panics on a goroutine of its own. Etcd follows its own minor
// version and the one before it.
func checkVersion(dir string) error {
	path := datadir.ToBackendFileName(dir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return inUse(dir)
	}
	if err != nil {
		return fmt.Errorf("read data in %s: %w; restore them, or move the directory away, which ends every lock", dir, err)
	}
	defer db.Close()
	ours := semver.New(version.Version)
	for _, data := range dataVersions(db) {
		if data.Major != ours.Major || data.Minor > ours.Minor || data.Minor < ours.Minor-1 {
			return fmt.Errorf("%w: %s is of etcd %d.%d, and this locksided has %d.%d; run the version it belongs to, or move the directory away, which ends every lock",
				ErrVersion, dir, data.Major, data.Minor, ours.Major, ours.Minor)
		}
	}
	return nil
}

// dataVersions is the versions that the data speak of: the cluster's, and the
// storage schema's. A member that was stopped early has none yet.
func dataVersions(db *bbolt.DB) []*semver.Version {
	var found []*semver.Version
	_ = db.View(func(tx *bbolt.Tx) error {
		for _, at := range []struct{ bucket, key []byte }{
			{schema.Cluster.Name(), schema.ClusterClusterVersionKeyName},
			{schema.Meta.Name(), schema.MetaStorageVersionName},
		} {
			bucket := tx.Bucket(at.bucket)
			if bucket == nil {
				continue
			}
			if v, err := semver.NewVersion(string(bucket.Get(at.key))); err == nil {
				found = append(found, v)
			}
		}
		return nil
	})
	return found
}
