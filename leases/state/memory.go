package state

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Memory is the highest revision that was seen of a cluster.
type Memory struct {
	Cluster   uint64
	Revision  int64
	Regressed bool // the cluster went back behind it; never forgotten
}

// line is the form of the revision file: one line of one length, so that a
// write replaces all of it at once. A regression adds a mark, once.
const (
	line = "cluster %016x revision %019d\n"
	mark = "regressed\n"
)

// Memory is what Remember was last told, by this or an earlier daemon.
func (d *Dir) Memory() Memory {
	d.memoryMu.Lock()
	defer d.memoryMu.Unlock()
	return d.memory
}

// Remember writes down how far a cluster has come. It costs one write(2).
// Nothing can be remembered after a regression.
func (d *Dir) Remember(m Memory) error {
	d.memoryMu.Lock()
	defer d.memoryMu.Unlock()
	if d.memory == m || d.memory.Regressed {
		return nil
	}
	var buf [len("cluster 0123456789abcdef revision 0123456789012345678\n" + mark)]byte
	text := fmt.Appendf(buf[:0], line, m.Cluster, m.Revision)
	if m.Regressed {
		text = append(text, mark...)
	}
	if _, err := d.revision.WriteAt(text, 0); err != nil {
		return fmt.Errorf("write revision memory: %w", err)
	}
	d.memory, d.dirty = m, true
	return nil
}

// Regress writes down that the cluster went back. To accept that, an operator
// removes the file whose path it returns.
func (d *Dir) Regress() (path string, err error) {
	m := d.Memory()
	m.Regressed = true
	return d.revision.Name(), d.Remember(m)
}

func readMemory(file *os.File) (m Memory, err error) {
	text, err := io.ReadAll(file)
	if err != nil || len(text) == 0 {
		return Memory{}, err
	}
	if _, err := fmt.Sscanf(string(text), line, &m.Cluster, &m.Revision); err != nil {
		return Memory{}, fmt.Errorf("%w: the file is damaged; remove it only if etcd was not restored since", err)
	}
	m.Regressed = strings.HasSuffix(string(text), mark)
	return m, nil
}
