package peer

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// MaxComm is the most bytes of a Comm. The kernel keeps 15, and writes a
// newline and a backslash as two.
const MaxComm = 30

// userHz is the unit of times in /proc, proc_pid_stat(5). It is part of the
// kernel's interface, and 100 on every architecture that Go runs on.
const userHz = 100

// maxFile bounds what is read of a file in /proc; the longest is a cgroup path.
const maxFile = 8192

// process is an open /proc/PID. All that is read through it is of the one
// process that had the pid when it was opened: once that is gone, reads fail,
// whoever has the pid by then.
type process int

func openProcess(pid int32) (process, error) {
	path := strconv.AppendInt([]byte("/proc/"), int64(pid), 10)
	fd, err := unix.Open(string(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return process(fd), err
}

func (p process) close() { unix.Close(int(p)) }

// belongsTo reports whether the process has the given effective user.
func (p process) belongsTo(uid uint32) bool {
	var st unix.Stat_t
	err := unix.Fstat(int(p), &st)
	return err == nil && st.Uid == uid
}

// read is the text of one file, nil if there is none to be had.
func (p process) read(name string) []byte {
	fd, err := unix.Openat(int(p), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	text := make([]byte, 0, 1024)
	for len(text) < maxFile {
		if len(text) == cap(text) {
			text = append(text, make([]byte, cap(text))...)[:len(text)]
		}
		n, err := unix.Read(fd, text[len(text):cap(text)])
		if err != nil || n <= 0 {
			break
		}
		text = text[:len(text)+n]
	}
	return text
}

func (p process) stat() (comm string, started time.Duration) {
	return parseStat(p.read("stat"))
}

// units looks in the unified hierarchy first, then in systemd's own.
func (p process) units() (unit, userUnit string) {
	return parseCgroup(p.read("cgroup"))
}

// parseStat takes the name and the start time out of /proc/PID/stat,
// proc_pid_stat(5). The name is in parentheses and may hold some itself, so it
// ends at the last; the start time is the 22nd field, the 20th after it.
func parseStat(text []byte) (comm string, started time.Duration) {
	from, to := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return "", 0
	}
	name := text[from+1 : to]
	comm = string(name[:min(len(name), MaxComm)])
	fields := bytes.Fields(text[to+1:])
	if len(fields) < 20 {
		return comm, 0
	}
	ticks, err := strconv.ParseInt(string(fields[19]), 10, 64)
	if err != nil {
		return comm, 0
	}
	return comm, time.Duration(ticks) * (time.Second / userHz)
}
