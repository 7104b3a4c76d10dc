package main

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain catches HUP, which lockside leaves ignored if it was when it started, as
// under nohup(1). The programs that the scripts start do not inherit that then.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "lockside" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	testscript.Main(m, map[string]func(){"lockside": main})
}

// The scripts in testdata have a fake for a daemon, which loses a lock when
// they say so.
func TestScripts(t *testing.T) { runScripts(t, "testdata", setup) }

// Those in testdata/daemon start the real one themselves, with an etcd of its
// own.
func TestScriptsWithTheDaemon(t *testing.T) {
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir, "lockside/cmd/locksided")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build locksided: %v\n%s", err, out)
	}
	runScripts(t, "testdata/daemon", func(env *testscript.Env) error {
		env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+dir)
		return setup(env)
	})
}

func runScripts(t *testing.T, dir string, setup func(*testscript.Env) error) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"daemon":   command((*world).daemon),
			"deny":     command((*world).deny),
			"ended":    command((*world).ended),
			"exits":    command((*world).exits),
			"gone":     command((*world).gone),
			"lose":     command((*world).lose),
			"queue":    command((*world).queue),
			"ready":    command((*world).ready),
			"resource": command((*world).resource),
			"shows":    command((*world).shows),
			"signal":   command((*world).signal),
			"start":    command((*world).start),
			"stop":     command((*world).stop),
		},
	})
}

// The program starts in every cron job: it is to stay small and quick.
func TestProgramHasNoEtcdInIt(t *testing.T) {
	packages, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(packages)) {
		if strings.Contains(path, "etcd") || strings.Contains(path, "grpc") {
			t.Errorf("the program imports %s", path)
		}
	}
}
