package machine_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"lockside/fencing/lab/machine"
)

func TestDescribe(t *testing.T) {
	dir := t.TempDir()
	m, err := machine.Describe(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.CPU == "" || m.Cores < 1 || m.Memory < 1<<20 || m.Kernel == "" || m.Filesystem == "unknown" {
		t.Errorf("the machine is %+v", m)
	}
	if m.SyncP50 <= 0 || m.SyncP99 < m.SyncP50 {
		t.Errorf("a sync takes %v, %v at most", m.SyncP50, m.SyncP99)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDescribeKnowsFilesystems(t *testing.T) {
	m, err := machine.Describe("/dev/shm")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		t.Skip("no /dev/shm to write to")
	}
	if err != nil {
		t.Fatal(err)
	}
	if m.Filesystem != "tmpfs" {
		t.Errorf("/dev/shm is %s, want tmpfs", m.Filesystem)
	}
}
