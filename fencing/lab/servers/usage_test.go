package servers

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

func TestUsageOfThisProcess(t *testing.T) {
	before, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	block := make([]byte, size)
	for begin := time.Now(); time.Since(begin) < 100*time.Millisecond; {
		for i := 0; i < size; i += 4096 {
			block[i]++
		}
	}
	after, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(block)
	if after.Anonymous < before.Anonymous+size/2 || after.Resident < after.Anonymous {
		t.Errorf("with %d bytes more it has %+v, after %+v", size, after, before)
	}
	if spent := after.CPU - before.CPU; spent < 20*time.Millisecond || spent > 10*time.Second {
		t.Errorf("0.1s of work took %v", spent)
	}
}

func TestUsageAddsUp(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	p := &process{life: &life{cmd: &exec.Cmd{Process: self}}}
	one, err := group{p}.Usage()
	if err != nil || one.Resident == 0 || one.Anonymous == 0 {
		t.Fatalf("one uses %+v, %v", one, err)
	}
	if both, err := (group{p, p}).Usage(); err != nil || both.Resident < one.Resident*3/2 || both.CPU < one.CPU {
		t.Errorf("both use %+v, one %+v, %v", both, one, err)
	}
}

func TestParseCPU(t *testing.T) {
	tests := []struct {
		stat string
		want time.Duration // or negative for an error
	}{
		{"7 (a) S 1 1 1 0 -1 0 0 0 0 0 150 30 0 0 20", 1800 * time.Millisecond},
		{"7 (a b) c) S 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20", 30 * time.Millisecond},
		{"7 (a) S 1 1 1 0", -1},
		{"7 (a) S 1 1 1 0 -1 0 0 0 0 0 x 2 0 0 20", -1},
		{"", -1},
	}
	for _, test := range tests {
		got, err := parseCPU(test.stat)
		if (err != nil) != (test.want < 0) || err == nil && got != test.want {
			t.Errorf("%q: %v, %v, want %v", test.stat, got, err, test.want)
		}
	}
}
