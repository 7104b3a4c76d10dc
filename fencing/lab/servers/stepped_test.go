package servers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestOverlayStepsTheWallClockAlone builds a small program with the clock of the
// overlay, and lets it see a step.
func TestOverlayStepsTheWallClockAlone(t *testing.T) {
	dir := t.TempDir()
	root, err := gotool(t.Context(), "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := writeOverlay(root, dir)
	if err != nil {
		t.Fatal(err)
	}
	source, program, file := filepath.Join(dir, "main.go"), filepath.Join(dir, "main"), filepath.Join(dir, "clock")
	if err := os.WriteFile(source, []byte(teller), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := writeClock(file, 0); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, file)
	cmd.Env = append(os.Environ(), ClockVariable+"="+file)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	wall, took, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	seconds, err := strconv.ParseInt(wall, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if off := time.Until(time.Unix(seconds, 0)); off < 59*time.Minute || off > 61*time.Minute {
		t.Errorf("the wall clock is %v ahead, want an hour", off)
	}
	if monotonic, err := time.ParseDuration(took); err != nil || monotonic > time.Minute {
		t.Errorf("between two moments %s passed, one of them after the step", took)
	}
}

// teller steps its own clock, waits until it sees that, and prints its wall clock
// and what its monotonic one says has passed meanwhile.
const teller = `package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	before := time.Now()
	if err := os.WriteFile(os.Args[1], []byte("+3600\n"), 0o600); err != nil {
		panic(err)
	}
	for range 500 {
		if time.Now().Unix() > before.Unix()+1800 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println(time.Now().Unix(), time.Since(before))
}
`
