package dirguard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lockside/fencing"
	"lockside/fencing/dirguard"
)

func at(fence int64) fencing.Token { return fencing.Token{Cluster: 0xc1, Fence: fence} }

// A place is a step of a call, the nth of its name.
type place struct {
	step   string
	nth    int
	locked bool // others wait
	done   bool // the write counts
}

// placesOf are all places of a call, in order.
func placesOf(method string) []place {
	publish := []place{
		{step: "made", nth: 1},
		{step: "filled", nth: 1},
		{step: "synced", nth: 1},
		{step: "locked", nth: 2, locked: true},
		{step: "compared", nth: 1, locked: true},
		{step: "renamed", nth: 1, locked: true, done: true},
		{step: "kept", nth: 1, locked: true, done: true},
		{step: "raised", nth: 1, locked: true, done: true},
	}
	first := []place{{step: "locked", nth: 1, locked: true}, {step: "admitted", nth: 1}}
	last := []place{{step: "published", nth: 1, done: true}}
	if method == "Write" {
		publish[4].nth, publish[7].nth = 2, 2 // after its claim's
		claim := []place{{step: "compared", nth: 1, locked: true}, {step: "raised", nth: 1, locked: true}}
		return slices.Concat(first, claim, publish, last)
	}
	return slices.Concat(first, publish, last)
}

// published is a directory in which "old" was published with 1.
func published(t *testing.T) (string, *dirguard.Guard) {
	t.Helper()
	dir := t.TempDir()
	guard := dirguard.New(dir)
	if err := guard.Write(t.Context(), at(1), fill("old", false)); err != nil {
		t.Fatal(err)
	}
	return dir, guard
}

// whole is the value, which all files of the version must have.
func whole(t *testing.T, guard *dirguard.Guard) string {
	t.Helper()
	var value string
	if err := guard.Read(t.Context(), func(root *os.Root) error {
		var all [3][]byte
		for i, name := range []string{"value", "below/value", "again"} {
			text, err := root.ReadFile(name)
			if err != nil {
				return err
			}
			all[i] = text
		}
		if value = string(all[0]); value != string(all[1]) || value != string(all[2]) {
			return fmt.Errorf("a version is of %q", all)
		}
		return nil
	}); err != nil {
		t.Errorf("read: %v", err)
	}
	return value
}

// versions are how many directories the guard has, be they retired.
func versions(t *testing.T, dir string) (n int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, ".lockside"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			n++
		}
	}
	return n
}

// eachPlace runs a test with a process that has come to each place of a write and
// sent a signal to itself there.
func eachPlace(t *testing.T, signal syscall.Signal, run func(t *testing.T, method string, at place, dir string, guard *dirguard.Guard, p *process)) {
	for _, method := range []string{"Write", "WriteOnce"} {
		for _, place := range placesOf(method) {
			t.Run(fmt.Sprint(method, " ", place.step, " ", place.nth), func(t *testing.T) {
				dir, guard := published(t)
				p, err := start(call{Dir: dir, Method: method, Token: at(2), Value: "new", Signal: signal, At: place.step, Nth: place.nth})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // where the test fails
				if err := p.reach(); err != nil {
					t.Fatal(err, p.wait())
				}
				if signal == syscall.SIGSTOP {
					if err := p.stopped(); err != nil {
						t.Fatal(err)
					}
				}
				run(t, method, place, dir, guard, p)
			})
		}
	}
}

// value is what readers see at a place.
func (p place) value() string {
	if p.done {
		return "new"
	}
	return "old"
}

// TestStopped has a writer stop at each of its steps, and another holder come. It
// is kept out if the writer is about to publish, and else the writer is refused.
func TestStopped(t *testing.T) {
	eachPlace(t, syscall.SIGSTOP, func(t *testing.T, _ string, place place, dir string, guard *dirguard.Guard, p *process) {
		wait := time.Minute
		if place.locked {
			wait = 50 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		err := guard.Claim(ctx, at(3))
		if place.locked != errors.Is(err, context.DeadlineExceeded) || !place.locked && err != nil {
			t.Errorf("a claim beside it: %v", err)
		}
		if got := whole(t, guard); got != place.value() {
			t.Errorf("the value is %q, want %q", got, place.value())
		}
		if err := p.goOn(); err != nil {
			t.Fatal(err)
		}
		switch err := p.wait(); {
		case !place.locked && !place.done && !errors.Is(err, fencing.ErrStale):
			t.Errorf("a write that goes on after the claim: %v, want %v", err, fencing.ErrStale)
		case (place.locked || place.done) && err != nil:
			t.Errorf("a write that goes on before the claim: %v", err)
		}
		if err := guard.Write(t.Context(), at(3), fill("next", false)); err != nil {
			t.Error(err)
		}
		if got, n := whole(t, guard), versions(t, dir); got != "next" || n != 2 {
			t.Errorf("the value is %q of %d versions, want next of 2", got, n)
		}
	})
}

// TestStoppedAndKilled has the holder who is kept out go on once the writer that
// is stopped is killed.
func TestStoppedAndKilled(t *testing.T) {
	dir, guard := published(t)
	p, err := start(call{Dir: dir, Method: "Write", Token: at(2), Value: "new", Signal: syscall.SIGSTOP, At: "compared", Nth: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.reach(), p.stopped()); err != nil {
		t.Fatal(err)
	}
	claimed := make(chan error, 1)
	go func() { claimed <- guard.Claim(t.Context(), at(3)) }()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-claimed; err != nil {
		t.Error(err)
	}
	if err := p.wait(); !errors.Is(err, io.EOF) {
		t.Errorf("the writer: %v", err)
	}
	if got := whole(t, guard); got != "old" {
		t.Errorf("the value is %q, want old", got)
	}
}

// TestKilled has a writer killed at each of its steps: what is published is old or
// new, whoever repeats the write learns what became of it, and the next holder's
// claim removes what was left.
func TestKilled(t *testing.T) {
	eachPlace(t, syscall.SIGKILL, func(t *testing.T, method string, place place, dir string, guard *dirguard.Guard, p *process) {
		if err := p.wait(); !errors.Is(err, io.EOF) {
			t.Fatalf("the writer was not killed: %v", err)
		}
		if got := whole(t, guard); got != place.value() {
			t.Errorf("the value is %q, want %q", got, place.value())
		}
		if place.done {
			if err := guard.Claim(t.Context(), at(1)); !errors.Is(err, fencing.ErrStale) {
				t.Errorf("the holder before: %v, want %v", err, fencing.ErrStale)
			}
		}
		again := guard.Write
		if method == "WriteOnce" {
			again = guard.WriteOnce
		}
		if err := again(t.Context(), at(2), fill("new", false)); method == "Write" && err != nil ||
			method == "WriteOnce" && errors.Is(err, fencing.ErrSpent) != place.done {
			t.Errorf("the write repeated: %v", err)
		}
		if got := whole(t, guard); got != "new" {
			t.Errorf("the value is %q, want new", got)
		}
		if err := guard.Claim(t.Context(), at(3)); err != nil {
			t.Error(err)
		}
		if got, n := whole(t, guard), versions(t, dir); got != "new" || n > 2 {
			t.Errorf("the value is %q of %d versions, want new of 2 at most", got, n)
		}
	})
}

// TestKilledAnywhere kills writers that publish as fast as they can, without regard
// to steps, while a reader reads.
func TestKilledAnywhere(t *testing.T) {
	dir, guard := published(t)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	reads := 0
	wg.Go(func() {
		for ; ctx.Err() == nil; reads++ {
			whole(t, guard)
		}
	})
	for fence := int64(2); fence < 30; fence++ {
		p, err := start(call{Dir: dir, Method: "Writes", Token: at(fence), Value: fmt.Sprint(fence)})
		if err != nil {
			t.Fatal(err)
		}
		told := p.killedAfter(t, int(fence)%4, time.Duration(fence*173%2000)*time.Microsecond)
		if err := guard.Claim(t.Context(), at(fence)); err != nil {
			t.Error(err)
		}
		number, found := strings.CutPrefix(whole(t, guard), fmt.Sprint(fence, "."))
		if n, err := strconv.Atoi(number); told > 0 && (!found || err != nil || n < told || n > told+1) {
			t.Errorf("the writer told that %d were published; there is %s", told, number)
		}
	}
	cancel()
	wg.Wait()
	if err := guard.Claim(t.Context(), at(30)); err != nil {
		t.Error(err)
	}
	if n := versions(t, dir); n > 2 || reads == 0 {
		t.Errorf("%d versions are left, want 2 at most; %d reads", n, reads)
	}
}

// killedAfter kills a process some time after it told of its nth write, and
// returns how many it told of in all.
func (p *process) killedAfter(t *testing.T, n int, pause time.Duration) (told int) {
	t.Helper()
	for told < n {
		if _, err := p.out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		told++
	}
	time.Sleep(pause) // the moment is to be any
	_ = p.cmd.Process.Kill()
	for {
		if _, err := p.out.ReadString('\n'); err != nil {
			_ = p.cmd.Wait() // it was killed
			return told
		}
		told++
	}
}

// TestReadAgain has a version removed while it is read.
func TestReadAgain(t *testing.T) {
	_, guard := published(t)
	var seen []string
	err := guard.Read(t.Context(), func(root *os.Root) error {
		text, err := root.ReadFile("value")
		seen = append(seen, string(text))
		for i := 0; i < 2 && len(seen) == 1; i++ {
			if err := guard.Write(t.Context(), at(2), fill(fmt.Sprint("new ", i), false)); err != nil {
				t.Error(err)
			}
		}
		return err
	})
	if err != nil || !slices.Equal(seen, []string{"old", "new 1"}) {
		t.Errorf("%v, %q", err, seen)
	}
	if err := dirguard.New(t.TempDir()).Read(t.Context(), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is read: %v", err)
	}
}

// TestByHand holds what the package says of people.
func TestByHand(t *testing.T) {
	dir, guard := published(t)
	other := fencing.Token{Cluster: 0xc2, Fence: 1}
	if err := guard.Claim(t.Context(), other); !errors.Is(err, fencing.ErrCluster) {
		t.Errorf("another cluster: %v, want %v", err, fencing.ErrCluster)
	}
	watermark := filepath.Join(dir, ".lockside", "watermark")
	if err := os.WriteFile(watermark, []byte("1@c2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := guard.Write(t.Context(), at(2), fill("new", false)); !errors.Is(err, fencing.ErrCluster) {
		t.Errorf("the cluster before: %v, want %v", err, fencing.ErrCluster)
	}
	if err := guard.Write(t.Context(), other, fill("other", false)); err != nil {
		t.Error(err)
	}
	if got := whole(t, guard); got != "other" {
		t.Errorf("the value is %q, want other", got)
	}
	for _, text := range []string{"", "x\n", "1@c2\n\n"} {
		if err := os.WriteFile(watermark, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := guard.Claim(t.Context(), other); err == nil || errors.Is(err, fencing.ErrToken) {
			t.Errorf("a watermark of %q: %v", text, err)
		}
	}
}

// TestForeignCurrent holds that what somebody else made is not replaced.
func TestForeignCurrent(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a directory":    func(path string) error { return os.Mkdir(path, 0o777) },
		"a file":         func(path string) error { return os.WriteFile(path, nil, 0o666) },
		"a foreign link": func(path string) error { return os.Symlink("/etc", path) },
	} {
		dir := t.TempDir()
		if err := make(filepath.Join(dir, "current")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := dirguard.New(dir).Write(t.Context(), at(1), fill("new", false)); err == nil {
				t.Errorf("%s was replaced", name)
			}
		}
	}
}
