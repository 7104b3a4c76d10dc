// Package state keeps what must outlive the daemon: which leases it has, so
// that the next one can revoke them, and how far etcd's revisions have come,
// so that a restored snapshot is noticed (P8).
//
// Both survive a killed daemon, since what was written is the kernel's. The
// revision also survives a host that crashes, but for the last second; leases
// need not, since etcd ends those of a host that is gone.
package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ErrInUse means that a live daemon has the directory. Two daemons with one
// directory would revoke each other's leases.
var ErrInUse = errors.New("state directory in use")

// syncEvery is how much of the revision a crash of the host may lose.
const syncEvery = time.Second

// Dir is one daemon's state directory, held until Close.
type Dir struct {
	path string
	lock *os.File
	stop chan struct{}
	wait sync.WaitGroup

	leasesMu sync.Mutex // guards leases and its file
	leases   []int64

	memoryMu sync.Mutex // guards what follows; apart, since a reply of etcd waits for it
	revision *os.File
	memory   Memory
	dirty    bool
}

// Open takes the directory, which is made if missing, for this user alone. The
// errors are ErrInUse, and those of files that cannot be read or understood.
func Open(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock state directory: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("%w: %s: stop the other daemon, or give this one another --state-dir", ErrInUse, path)
	}
	return Adopt(path, lock)
}

// Adopt takes a directory whose lock is held already, as Leave gave it. The lock is
// closed with the directory, and when there is an error: that of files which cannot
// be read or understood, or of a lock that is another directory's.
func Adopt(path string, lock *os.File) (*Dir, error) {
	if err := isLockOf(path, lock); err != nil {
		lock.Close()
		return nil, err
	}
	d := &Dir{path: path, lock: lock, stop: make(chan struct{})}
	if err := d.load(); err != nil {
		lock.Close()
		return nil, err
	}
	d.wait.Go(d.syncNowAndThen)
	return d, nil
}

func isLockOf(path string, lock *os.File) error {
	mine, err := lock.Stat()
	if err != nil {
		return fmt.Errorf("look at lock of state directory: %w", err)
	}
	there, err := os.Stat(filepath.Join(path, "lock"))
	if err != nil || !os.SameFile(mine, there) {
		return fmt.Errorf("%w: %s is not the directory of the locks that are held", ErrInUse, path)
	}
	return nil
}

func (d *Dir) load() (err error) {
	if d.leases, err = readLeases(d.leasesFile()); err != nil {
		return fmt.Errorf("read leases left behind: %w", err)
	}
	if d.revision, err = os.OpenFile(d.revisionFile(), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("open revision memory: %w", err)
	}
	if d.memory, err = readMemory(d.revision); err != nil {
		d.revision.Close()
		return fmt.Errorf("read revision memory %s: %w", d.revision.Name(), err)
	}
	return nil
}

// syncNowAndThen brings the revision to the disk. Close ends it.
func (d *Dir) syncNowAndThen() {
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
			d.sync()
		}
	}
}

func (d *Dir) sync() error {
	d.memoryMu.Lock()
	dirty, revision := d.dirty, d.revision
	d.dirty = false
	d.memoryMu.Unlock()
	if !dirty {
		return nil
	}
	return revision.Sync()
}

// Close brings the revision to the disk and lets the directory go.
func (d *Dir) Close() error {
	err := d.shut()
	return errors.Join(err, d.lock.Close())
}

// Leave is Close, but that the lock, which it returns, goes on to be held.
func (d *Dir) Leave() (lock *os.File, err error) { return d.lock, d.shut() }

func (d *Dir) shut() error {
	close(d.stop)
	d.wait.Wait()
	return errors.Join(d.sync(), d.revision.Close())
}
