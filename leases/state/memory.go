package state

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func (d *Dir) revisionFile() string { return filepath.Join(d.path, "revision") }

// Memory is the highest revision that was seen of a cluster.
type Memory struct {
	Cluster   uint64
	Revision  int64
	Regressed bool // the cluster went back behind it; forgotten by Accept alone
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
// Nothing can be remembered after a regression, until it is accepted.
func (d *Dir) Remember(m Memory) error {
	d.memoryMu.Lock()
	defer d.memoryMu.Unlock()
	if d.memory == m || d.memory.Regressed {
		return nil
	}
	var buf [len("cluster 0123456789abcdef revision 0123456789012345678\n" + mark)]byte
	if _, err := d.revision.WriteAt(m.append(buf[:0]), 0); err != nil {
		return fmt.Errorf("write revision memory: %w", err)
	}
	d.memory, d.dirty = m, true
	return nil
}

// append writes the memory as the revision file has it.
func (m Memory) append(dst []byte) []byte {
	dst = fmt.Appendf(dst, line, m.Cluster, m.Revision)
	if m.Regressed {
		dst = append(dst, mark...)
	}
	return dst
}

// Regress writes down that the cluster went back.
func (d *Dir) Regress() error {
	m := d.Memory()
	m.Regressed = true
	return d.Remember(m)
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
