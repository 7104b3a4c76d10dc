package main

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"lockside/daemon/config"
)

// load reads a configuration file's text as root's daemon would.
func load(t *testing.T, text string) config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "lockside.yaml")
	if err := write(file, []byte(text)); err != nil {
		t.Fatal(err)
	}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.AddFlags(set)
	if err := set.Parse([]string{"--config", file}); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(set, config.Process{Host: "NAME"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDefaultConfig holds that the file changes nothing, and that what it shows
// as defaults are the daemon's.
func TestDefaultConfig(t *testing.T) {
	text := defaultConfig()
	plain := load(t, "")
	if diff := cmp.Diff(plain, load(t, text)); diff != "" {
		t.Error(diff)
	}
	// All but those that show what they stand for, such as FILE.
	active := regexp.MustCompile(`(?m)^#([a-z-]+: [^A-Z\n]*|host: NAME)$`).ReplaceAllString(text, "$1")
	if active == text {
		t.Fatal("the file has no settings")
	}
	if diff := cmp.Diff(plain, load(t, active)); diff != "" {
		t.Error(diff)
	}
}
