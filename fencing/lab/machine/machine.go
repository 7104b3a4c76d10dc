// Package machine tells what a computer is, as far as it matters for how fast
// locks are, without telling which one it is.
package machine

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Machine is a computer and the state that it was in.
type Machine struct {
	CPU        string        `json:"cpu"`
	Cores      int           `json:"cores"`
	Memory     uint64        `json:"memory_bytes"`
	Kernel     string        `json:"kernel"`
	Filesystem string        `json:"filesystem"`  // of the servers' data
	SyncP50    time.Duration `json:"sync_p50_ns"` // of writing 4 KiB and fdatasync
	SyncP99    time.Duration `json:"sync_p99_ns"`
	Load       string        `json:"load_average"` // of the minute before
	Go         string        `json:"go"`
}

// Describe looks at the machine, and at the disk that has a directory, on which
// it writes for a second.
func Describe(dir string) (Machine, error) {
	m := Machine{CPU: model(), Cores: runtime.NumCPU(), Go: runtime.Version()}
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return m, fmt.Errorf("read the size of memory: %w", err)
	}
	m.Memory = uint64(info.Totalram) * uint64(info.Unit)
	m.Load = fmt.Sprintf("%.2f", float64(info.Loads[0])/(1<<16)) // see sysinfo(2)
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return m, fmt.Errorf("read the kernel's version: %w", err)
	}
	m.Kernel = unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:])
	var err error
	if m.Filesystem, err = filesystem(dir); err != nil {
		return m, err
	}
	m.SyncP50, m.SyncP99, err = syncTimes(dir, time.Second)
	return m, err
}

// model is what the processor calls itself.
func model() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// filesystem names the kind of file system that a directory is on, by the
// longest mount point above it.
func filesystem(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("find a directory's file system: %w", err)
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "", fmt.Errorf("find a directory's file system: %w", err)
	}
	kind, longest := "unknown", 0
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line) // device, mount point, kind: see fstab(5)
		if len(fields) < 3 || len(fields[1]) < longest {
			continue
		}
		if below, err := filepath.Rel(fields[1], dir); err == nil && filepath.IsLocal(below) {
			kind, longest = fields[2], len(fields[1])
		}
	}
	return kind, nil
}
