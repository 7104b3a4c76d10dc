package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func (d *Dir) leasesFile() string { return filepath.Join(d.path, "leases") }

// Leases are those that this or an earlier daemon added and did not remove.
func (d *Dir) Leases() []int64 {
	d.leasesMu.Lock()
	defer d.leasesMu.Unlock()
	return slices.Clone(d.leases)
}

// AddLease notes a lease before it is asked for, each time that it is.
func (d *Dir) AddLease(id int64) error {
	d.leasesMu.Lock()
	defer d.leasesMu.Unlock()
	if !slices.Contains(d.leases, id) {
		d.leases = append(d.leases, id)
	}
	return d.writeLeasesLocked()
}

// RemoveLease forgets a lease that etcd no longer has.
func (d *Dir) RemoveLease(id int64) error {
	d.leasesMu.Lock()
	defer d.leasesMu.Unlock()
	d.leases = slices.DeleteFunc(d.leases, func(other int64) bool { return other == id })
	return d.writeLeasesLocked()
}

// writeLeasesLocked replaces the file, so that a daemon killed at any moment
// leaves the old list or the new one.
func (d *Dir) writeLeasesLocked() error {
	var text strings.Builder
	for _, id := range d.leases {
		fmt.Fprintf(&text, "%x\n", id)
	}
	fresh := d.leasesFile() + ".new"
	if err := os.WriteFile(fresh, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("write leases: %w", err)
	}
	if err := os.Rename(fresh, d.leasesFile()); err != nil {
		return fmt.Errorf("write leases: %w", err)
	}
	return nil
}

func readLeases(path string) ([]int64, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var leases []int64
	for line := range strings.FieldsSeq(string(text)) {
		id, err := strconv.ParseInt(line, 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is no lease id: remove the file; the leases that it named end by themselves", path, line)
		}
		leases = append(leases, id)
	}
	return leases, nil
}
