package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"lockside/daemon/config"
)

// load runs Load as an ordinary user with a home directory.
func load(t *testing.T, environ []string, args ...string) (config.Config, error) {
	t.Helper()
	set := pflag.NewFlagSet("locksided", pflag.ContinueOnError)
	config.AddFlags(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	environ = append([]string{"HOME=/home/app"}, environ...)
	return config.Load(set, config.Process{Environ: environ, UID: 1000})
}

// write makes a file of the given text and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFlagBeatsEnvironmentBeatsFile(t *testing.T) {
	file := write(t, "c.yaml", "ttl: 20s\nprefix: file/\nhost: file\n")
	environ := []string{"LOCKSIDED_CONFIG=" + file, "LOCKSIDED_PREFIX=variable/", "LOCKSIDED_HOST=variable"}
	c, err := load(t, environ, "--host", "flag")
	if err != nil {
		t.Fatal(err)
	}
	got := []any{c.TTL, c.Prefix, c.Host, c.LogFormat}
	want := []any{20 * time.Second, "variable/", "flag", "text"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfigFlagBeatsItsVariable(t *testing.T) {
	ours := write(t, "a.yaml", "host: flag\n")
	other := write(t, "b.yaml", "host: variable\n")
	c, err := load(t, []string{"LOCKSIDED_CONFIG=" + other}, "--config", ours)
	if err != nil || c.Host != "flag" {
		t.Errorf("host is %q, %v", c.Host, err)
	}
}

func TestListsAreWrittenInThreeWays(t *testing.T) {
	want := []string{"a:1", "b:2"}
	for _, args := range [][]string{
		{"--endpoints", "a:1, b:2"},
		{"--endpoints", "a:1", "--endpoints", "b:2"},
		{"--config", write(t, "c.yaml", "endpoints: [a:1, b:2]\n")},
	} {
		c, err := load(t, []string{"LOCKSIDED_ENDPOINTS="}, args...)
		if diff := cmp.Diff(want, c.Endpoints); diff != "" || err != nil {
			t.Errorf("%v: %s%v", args, diff, err)
		}
	}
}

func TestAnEmptyFileIsOneWithoutSettings(t *testing.T) {
	if _, err := load(t, nil, "--config", write(t, "c.yaml", "# nothing\n")); err != nil {
		t.Error(err)
	}
}

func TestDefaultPaths(t *testing.T) {
	for _, test := range []struct {
		name          string
		process       config.Process
		socket, state string
	}{
		{"root", config.Process{UID: 0, Environ: []string{"XDG_RUNTIME_DIR=/run/user/0"}},
			"/run/lockside/lockside.sock", "/var/lib/lockside"},
		{"both set", config.Process{UID: 1, Environ: []string{"XDG_RUNTIME_DIR=/r", "XDG_STATE_HOME=/s", "HOME=/h"}},
			"/r/lockside/lockside.sock", "/s/lockside"},
		{"home only", config.Process{UID: 1, Environ: []string{"HOME=/h"}},
			"/h/.local/state/lockside/lockside.sock", "/h/.local/state/lockside"},
		{"relative ones are ignored", config.Process{UID: 1, Environ: []string{"XDG_RUNTIME_DIR=r", "XDG_STATE_HOME=s", "HOME=/h"}},
			"/h/.local/state/lockside/lockside.sock", "/h/.local/state/lockside"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := config.Load(pflag.NewFlagSet("", pflag.ContinueOnError), test.process)
			if err != nil || c.Socket != test.socket || c.StateDir != test.state {
				t.Errorf("%s and %s, %v", c.Socket, c.StateDir, err)
			}
		})
	}
}

func TestNoPathsWithoutAHome(t *testing.T) {
	_, err := config.Load(pflag.NewFlagSet("", pflag.ContinueOnError), config.Process{UID: 1})
	if err == nil || !strings.Contains(err.Error(), "socket: want a path") || !strings.Contains(err.Error(), "state-dir: want a directory") {
		t.Errorf("got %v", err)
	}
}

func TestMarginOf(t *testing.T) {
	for _, test := range []struct{ margin, ttl, want time.Duration }{
		{0, 30 * time.Second, 5 * time.Second},
		{0, 3 * time.Second, time.Second},
		{2 * time.Second, 30 * time.Second, 2 * time.Second},
	} {
		c := config.Config{Margin: test.margin}
		if got := c.MarginOf(test.ttl); got != test.want {
			t.Errorf("margin %v of %v is %v, want %v", test.margin, test.ttl, got, test.want)
		}
	}
}
