package soak_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lockside/fencing/lab/crowd"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/soak"
)

func TestMain(m *testing.M) {
	crowd.Main()
	goleak.VerifyTestMain(m)
}

// options are those of a short soak. It is not long enough for locks to be lost
// often, but for every sort of fault.
func options() soak.Options {
	return soak.Options{
		For: 25 * time.Second, Hosts: 3, Members: 3, Clients: 120, Crowds: 3, Names: 50,
		TTL: 10 * time.Second, Progress: 5 * time.Second,
	}
}

// run soaks, and holds that no file is left.
func run(t *testing.T, ctx context.Context, o soak.Options, log *slog.Logger) *soak.Result {
	t.Helper()
	dir, err := os.MkdirTemp("", "lab") // short enough for the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	o.Dir = dir
	r, err := soak.Run(ctx, o, log)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := r.WriteTable(t.Output()); err != nil {
		t.Error(err)
	}
	return r
}

// build makes the programs once for several soaks.
func build(t *testing.T) servers.Programs {
	t.Helper()
	programs, err := servers.Programs{}.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return programs
}

func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	programs := build(t)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	t.Run("short", func(t *testing.T) {
		o := options()
		o.Programs = programs
		r := run(t, t.Context(), o, log)
		if err := r.Err(); err != nil {
			t.Error(err)
		}
		if r.Cut != "" || r.For < o.For || r.Grants < 100 || r.Passed == 0 || r.Uses == 0 || len(r.Faults) < 4 || len(r.Daemons) != 3 {
			t.Errorf("that was no soak: %+v", r)
		}
		checkJSON(t, r)
	})
	t.Run("interrupted", func(t *testing.T) {
		o := options()
		o.Programs, o.For, o.Hosts, o.Members, o.Clients, o.Progress = programs, time.Hour, 1, 1, 6, time.Second
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		watch := &watcher{Handler: log.Handler(), then: func() { cancel(errors.New("enough")) }}
		r := run(t, ctx, o, slog.New(watch))
		if err := r.Err(); err != nil || r.Cut != "enough" || r.For > time.Minute {
			t.Errorf("%v after %v: %v", r.Cut, r.For, err)
		}
	})
}

// watcher does something once a soak tells how it goes.
type watcher struct {
	slog.Handler
	then func()
}

func (w *watcher) Handle(ctx context.Context, record slog.Record) error {
	if record.Message == "So far" {
		w.then()
	}
	return w.Handler.Handle(ctx, record)
}

func checkJSON(t *testing.T, r *soak.Result) {
	t.Helper()
	var text bytes.Buffer
	var back soak.Result
	if err := r.WriteJSON(&text); err != nil {
		t.Error(err)
	}
	if err := json.Unmarshal(text.Bytes(), &back); err != nil || back.Grants != r.Grants || back.Seed != r.Seed || back.Violations == nil || len(back.Daemons) != len(r.Daemons) {
		t.Errorf("%v, %s", err, &text)
	}
}

// TestViolationsAreTold: one beyond doubt is an error, with the seed to run it
// again; and the table shows all.
func TestViolationsAreTold(t *testing.T) {
	doubtful := soak.Violation{Rule: "overlap", Text: "one", Doubt: "the machine stood still"}
	r := &soak.Result{Seed: 42, Violations: []soak.Violation{doubtful}}
	if err := r.Err(); err != nil {
		t.Errorf("what is doubtful is %v", err)
	}
	r.Violations = append(r.Violations, soak.Violation{Rule: "left", Text: "two"})
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "--seed 42") {
		t.Errorf("a violation is %v", err)
	}
	var table bytes.Buffer
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"overlap (the machine stood still", "VIOLATION left: two"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("%q is not in %s", want, &table)
		}
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	tests := []struct {
		says   string
		change func(*soak.Options)
	}{
		{"a soak for 0s", func(o *soak.Options) { o.For = 0 }},
		{"told of every -1ns", func(o *soak.Options) { o.Progress = -1 }},
		{"0 hosts", func(o *soak.Options) { o.Hosts = 0 }},
		{"2 members", func(o *soak.Options) { o.Members = 2 }},
		{"0 crowds", func(o *soak.Options) { o.Crowds = 0 }},
		{"2 clients", func(o *soak.Options) { o.Clients = 2 }},
		{"1 names", func(o *soak.Options) { o.Names = 1 }},
		{"a TTL of 1.5s", func(o *soak.Options) { o.TTL = 1500 * time.Millisecond }},
	}
	if err := options().Check(); err != nil {
		t.Error(err)
	}
	for _, test := range tests {
		o := options()
		test.change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v, want %q", err, test.says)
		}
	}
}
