package machine_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"lockside/fencing/lab/machine"
)

func TestAllowFilesRaisesTheLimit(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	low := before
	low.Cur = min(64, before.Max)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	n, err := machine.AllowFiles()
	if err != nil || n != int(min(before.Max, 1<<30)) {
		t.Errorf("%d files, %v, where the hard limit is %d", n, err, before.Max)
	}
	var after unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &after); err != nil || after.Cur != before.Max {
		t.Errorf("the soft limit is %d, %v", after.Cur, err)
	}
}
