package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lockside": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"daemon": command((*world).daemon),
			"deny":   command((*world).deny),
			"exits":  command((*world).exits),
			"gone":   command((*world).gone),
			"lose":   command((*world).lose),
			"queue":  command((*world).queue),
			"shows":  command((*world).shows),
			"signal": command((*world).signal),
			"start":  command((*world).start),
			"stop":   command((*world).stop),
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
