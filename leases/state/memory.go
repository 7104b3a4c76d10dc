package state

import (
	"fmt"
	"io"
	"os"
)

// Memory is the highest revision that was seen of a cluster.
type Memory struct {
	Cluster  uint64
	Revision int64
}

// line is the form of the revision file: one line of one length, so that a
// write replaces all of it at once.
const line = "cluster %016x revision %019d\n"

// Memory is what Remember was last told, by this or an earlier daemon.
func (d *Dir) Memory() Memory {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.memory
}

// Remember writes down how far a cluster has come. It costs one write(2).
func (d *Dir) Remember(m Memory) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.memory == m {
		return nil
	}
	var buf [len("cluster 0123456789abcdef revision 0123456789012345678\n")]byte
	if _, err := d.revision.WriteAt(fmt.Appendf(buf[:0], line, m.Cluster, m.Revision), 0); err != nil {
		return fmt.Errorf("write revision memory: %w", err)
	}
	d.memory, d.dirty = m, true
	return nil
}

func readMemory(file *os.File) (m Memory, err error) {
	text, err := io.ReadAll(file)
	if err != nil || len(text) == 0 {
		return Memory{}, err
	}
	if _, err := fmt.Sscanf(string(text), line, &m.Cluster, &m.Revision); err != nil {
		return Memory{}, fmt.Errorf("%w: the file is damaged; remove it only if etcd was not restored since", err)
	}
	return m, nil
}
