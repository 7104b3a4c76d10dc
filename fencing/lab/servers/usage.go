package servers

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is what processes take of a machine.
type Usage struct {
	Resident  int64         `json:"resident_bytes"`
	Anonymous int64         `json:"anonymous_bytes"` // of it, what is no file's
	CPU       time.Duration `json:"cpu_ns"`          // since they started
}

// Add sums up what several processes take.
func (u *Usage) Add(other Usage) {
	u.Resident += other.Resident
	u.Anonymous += other.Anonymous
	u.CPU += other.CPU
}

// Usage is what all processes take together.
func (g group) Usage() (Usage, error) {
	var sum Usage
	for _, p := range g {
		u, err := usageOf(p.now().cmd.Process.Pid)
		if err != nil {
			return Usage{}, fmt.Errorf("see what %s uses: %w", p.name, err)
		}
		sum.Add(u)
	}
	return sum, nil
}

// usageOf asks the kernel. See proc_pid_status(5) and proc_pid_stat(5).
func usageOf(pid int) (Usage, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Usage{}, err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Usage{}, err
	}
	cpu, err := parseCPU(string(stat))
	return Usage{Resident: kibibytes(string(status), "VmRSS:"), Anonymous: kibibytes(string(status), "RssAnon:"), CPU: cpu}, err
}

// kibibytes finds a line of a status file, and returns its value in bytes.
func kibibytes(status, key string) int64 {
	for line := range strings.Lines(status) {
		if value, found := strings.CutPrefix(line, key); found {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return n << 10
		}
	}
	return 0
}

// tick is what the kernel counts processor time in, on every architecture that
// Go has.
const tick = time.Second / 100

// parseCPU reads the processor time of a stat file, in user and kernel mode.
// They are the fields 14 and 15, of which the second may have blanks in it.
func parseCPU(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("the kernel says %q", stat)
	}
	var sum time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}
