package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	// wallClock is the line of the standard library's time.Now that asks the
	// kernel. What is put behind it changes the wall clock, and not the monotonic
	// one that comes with it.
	wallClock = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"

	steppedClock = wallClock + "\tsec += labStep()\n"

	// labClock looks at the file of WithClock every 20 ms, on a goroutine of its
	// own: time.Now is called where nothing may wait. It cannot use package os,
	// which uses this one.
	labClock = `package time

import (
	"sync/atomic"
	"syscall"
)

var labStepped atomic.Int64

func labStep() int64 { return labStepped.Load() }

func init() {
	if file, found := syscall.Getenv("` + ClockVariable + `"); found {
		labLook(file)
		go func() {
			for {
				Sleep(20 * Millisecond)
				labLook(file)
			}
		}()
	}
}

func labLook(file string) {
	fd, err := syscall.Open(file, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	var text [32]byte
	n, _ := syscall.Read(fd, text[:])
	var seconds, sign int64 = 0, 1
	for _, c := range text[:max(n, 0)] {
		switch {
		case c == '-':
			sign = -1
		case '0' <= c && c <= '9':
			seconds = 10*seconds + int64(c-'0')
		}
	}
	labStepped.Store(sign * seconds)
}
`
)

// errOtherLibrary is for a release of Go whose clock is made in another way.
var errOtherLibrary = errors.New("this release of Go has another time.Now than the one that the lab knows how to step")

// BuildStepped is Build for programs whose wall clock [WithClock] can step: their
// sources with a standard library of which time.Now is another one.
func (p Programs) BuildStepped(ctx context.Context, dir string) (Programs, error) {
	root, err := gotool(ctx, "env", "GOROOT")
	if err != nil {
		return p, err
	}
	overlay, err := writeOverlay(root, dir)
	if err != nil {
		return p, fmt.Errorf("make a clock that can be stepped: %w", err)
	}
	p.Etcd, p.Locksided = "", "" // those that were given are as they are
	return p.build(ctx, dir, "-overlay", overlay)
}

// writeOverlay writes the files, and what go build -overlay takes.
func writeOverlay(root, dir string) (string, error) {
	source := filepath.Join(root, "src", "time", "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	if strings.Count(string(text), wallClock) != 1 {
		return "", errOtherLibrary
	}
	now, clock := filepath.Join(dir, "time.go"), filepath.Join(dir, "labclock.go")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {
		source: now, filepath.Join(root, "src", "time", "labclock.go"): clock,
	}})
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, errors.Join(err,
		os.WriteFile(now, []byte(strings.Replace(string(text), wallClock, steppedClock, 1)), 0o600),
		os.WriteFile(clock, []byte(labClock), 0o600),
		os.WriteFile(overlay, replace, 0o600))
}
