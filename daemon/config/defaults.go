package config

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Process is what the configuration takes from the process besides its flags.
type Process struct {
	// Environ is the environment, as [os.Environ] gives it.
	Environ []string
	// UID is the effective user: root's daemon is the host's.
	UID int
	// Host is the name of the host. Empty asks the kernel.
	Host string
}

// ThisProcess is the running one.
func ThisProcess() Process {
	return Process{Environ: os.Environ(), UID: os.Geteuid()}
}

// variable is the value of an environment variable, the last one if it is
// given twice, and empty if it is not.
func (p Process) variable(name string) string {
	found := ""
	for _, pair := range p.Environ {
		if key, value, _ := strings.Cut(pair, "="); key == name {
			found = value
		}
	}
	return found
}

// directory is the value of a variable of the XDG base directory
// specification, which says that a relative path is to be ignored.
func (p Process) directory(name string) string {
	if dir := p.variable(name); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

// stateDir is /var/lib/lockside for root, otherwise below $XDG_STATE_HOME or
// its default. It is empty where there is no home directory either.
func (p Process) stateDir() string {
	if p.UID == 0 {
		return "/var/lib/lockside"
	}
	if dir := p.directory("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "lockside")
	}
	if home := p.directory("HOME"); home != "" {
		return filepath.Join(home, ".local", "state", "lockside")
	}
	return ""
}

// socket is /run/lockside/lockside.sock for root, otherwise below
// $XDG_RUNTIME_DIR. Without that it is in the state directory, which belongs
// to the user alone; a name in /tmp could be taken by anyone first.
func (p Process) socket() string {
	dir := p.stateDir()
	if p.UID == 0 {
		dir = "/run/lockside"
	} else if runtime := p.directory("XDG_RUNTIME_DIR"); runtime != "" {
		dir = filepath.Join(runtime, "lockside")
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "lockside.sock")
}

// defaults is the configuration that nobody asked to change. A host without a
// name leaves Host empty, which the checks refuse.
func defaults(p Process) Config {
	host := p.Host
	if host == "" {
		host, _ = os.Hostname()
	}
	return Config{
		Socket:     p.socket(),
		SocketMode: 0o660,
		Endpoints:  []string{"127.0.0.1:2379"},
		Prefix:     "lockside/",
		Host:       host,
		StateDir:   p.stateDir(),
		TTL:        15 * time.Second,
		MinTTL:     3 * time.Second,
		MaxTTL:     time.Hour,
		Limits: Limits{
			Sessions:        20_000,
			SessionsPerUser: 10_000,
			LocksPerSession: 64,
			Waiters:         20_000,
			WaitersPerName:  10_000,
		},
		LogLevel:  slog.LevelInfo,
		LogFormat: "text",
	}
}
