package state

import (
	"errors"
	"fmt"
	"os"
)

// Accept forgets a regression and goes on from another memory, which is on the
// disk when Accept returns. A crash at any moment leaves the old memory or the new
// one, since a rename puts it in place. After an error either may be there.
func (d *Dir) Accept(m Memory) error {
	d.memoryMu.Lock()
	defer d.memoryMu.Unlock()
	fresh, err := d.writeMemory(m)
	if err != nil {
		return fmt.Errorf("accept revision: %w", err)
	}
	if err := os.Rename(fresh.Name(), d.revisionFile()); err != nil {
		return fmt.Errorf("accept revision: %w", errors.Join(err, fresh.Close()))
	}
	old := d.revision
	d.revision, d.memory, d.dirty = fresh, m, false
	if err := errors.Join(syncDir(d.path), old.Close()); err != nil {
		return fmt.Errorf("accept revision: %w", err)
	}
	return nil
}

// writeMemory brings a revision file to the disk, beside the one in use. What an
// earlier crash has left there is overwritten.
func (d *Dir) writeMemory(m Memory) (*os.File, error) {
	fresh, err := os.OpenFile(d.revisionFile()+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = fresh.Write(m.append(nil))
	if err == nil {
		err = fresh.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, fresh.Close())
	}
	return fresh, nil
}

// syncDir brings the names in a directory to the disk, fsync(2).
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
