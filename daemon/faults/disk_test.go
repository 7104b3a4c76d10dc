package faults_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"lockside/daemon/faults/netns"
	"lockside/leases/etcdtest"
)

// A disk is a small file system that only the processes started on it see, and
// that is gone with the last of them and the test.
type disk struct {
	t         testing.TB
	path      string
	namespace *os.File // of mounts
	root      *os.File // of the disk, from outside
}

// newDisk makes a disk of so many bytes, which lasts until the test ends.
func newDisk(t testing.TB, size int64) *disk {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to mount a file system")
	}
	d := &disk{t: t, path: t.TempDir()}
	err := netns.Apart(func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS); err != nil {
			return fmt.Errorf("make a mount namespace: %w", err)
		}
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			return fmt.Errorf("make mounts private: %w", err)
		}
		if err := unix.Mount("tmpfs", d.path, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
			return fmt.Errorf("mount a disk: %w", err)
		}
		if d.root, err = os.Open(d.path); err != nil {
			return err
		}
		d.namespace, err = os.Open("/proc/thread-self/ns/mnt")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.namespace.Close(); d.root.Close() })
	return d
}

// place is where a member keeps its data on the disk.
func (d *disk) place() etcdtest.Place {
	return etcdtest.Place{Data: filepath.Join(d.path, "data"), Do: d.do}
}

// do runs a function that sees the disk.
func (d *disk) do(f func() error) error {
	return netns.Apart(func() error {
		if err := unix.Unshare(unix.CLONE_FS); err != nil {
			return err
		}
		if err := unix.Setns(int(d.namespace.Fd()), unix.CLONE_NEWNS); err != nil {
			return fmt.Errorf("enter a mount namespace: %w", err)
		}
		return f()
	})
}

// outside is the path of a file of the disk for who does not see it.
func (d *disk) outside(name string) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", d.root.Fd(), name)
}

// fill leaves no room.
func (d *disk) fill() {
	d.t.Helper()
	file, err := os.Create(d.outside("ballast"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer file.Close()
	if _, err := io.Copy(file, zeros{}); !errors.Is(err, unix.ENOSPC) {
		d.t.Fatalf("fill a disk: %v", err)
	}
}

// empty gives the room back.
func (d *disk) empty() {
	d.t.Helper()
	if err := os.Remove(d.outside("ballast")); err != nil {
		d.t.Fatal(err)
	}
}

// zeros is read without end.
type zeros struct{}

func (zeros) Read(data []byte) (int, error) { return len(data), nil }
