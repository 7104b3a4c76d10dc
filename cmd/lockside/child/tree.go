package child

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// identity tells a process from a later one that got the same pid.
type identity struct {
	pid   int
	start string // in clock ticks since boot
}

// process is one process as /proc/PID/stat shows it, see proc_pid_stat(5).
type process struct {
	identity
	state  byte
	parent int
}

// running reports whether the process is neither stopped nor a zombie.
func (p process) running() bool {
	return bytes.IndexByte([]byte("TtZX"), p.state) < 0
}

// subreap makes orphans among our descendants our children.
func subreap() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become child subreaper: %w", err)
	}
	return nil
}

// descendants finds every process below this one, as it was at some moment of
// the call.
func descendants() ([]process, error) {
	byParent, err := processes()
	if err != nil {
		return nil, err
	}
	found := slices.Clone(byParent[os.Getpid()])
	for i := 0; i < len(found); i++ {
		found = append(found, byParent[found[i].pid]...)
	}
	return found, nil
}

// processes reads all of /proc, sorted by parent.
func processes() (map[int][]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	byParent := make(map[int][]process)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			byParent[p.parent] = append(byParent[p.parent], p)
		}
	}
	return byParent, nil
}

// readProcess fails if there is no such process, or none any more.
func readProcess(pid int) (process, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	// The command's name stands in brackets and may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return process{}, fmt.Errorf("read process %d: short stat", pid)
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return process{identity{pid, string(fields[19])}, fields[0][0], parent}, nil
}

// signal never reaches another process that got the pid since: the descriptor
// is opened first, and what it means looked at after.
func (id identity) signal(sig unix.Signal) error {
	fd, err := unix.PidfdOpen(id.pid, 0)
	if errors.Is(err, unix.ENOSYS) { // before Linux 5.3
		return unix.Kill(id.pid, sig)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if now, err := readProcess(id.pid); err != nil || now.identity != id {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// signalAll does what can be done: processes that are gone or not ours to
// signal are left out.
func signalAll(tree []process, signals ...unix.Signal) {
	for _, p := range tree {
		for _, sig := range signals {
			_ = p.signal(sig)
		}
	}
}

// reapAll waits for all children that have ended or stopped by now, and tells
// report of each unless that is nil. It returns whether any child is left.
func reapAll(report func(pid int, status unix.WaitStatus)) bool {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG|unix.WUNTRACED, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // ECHILD is the only other one.
			return false
		case pid == 0:
			return true
		case report != nil:
			report(pid, status)
		}
	}
}
