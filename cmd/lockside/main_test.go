package main

import (
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
		},
	})
}
