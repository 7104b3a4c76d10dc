package config

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// samples holds for every setting one value as it is written and as it is
// kept. Each differs from the default.
func samples() map[string]struct {
	written string
	kept    any
} {
	type sample = struct {
		written string
		kept    any
	}
	return map[string]sample{
		"socket":                   {"/tmp/a.sock", "/tmp/a.sock"},
		"socket-mode":              {"0600", fs.FileMode(0o600)},
		"socket-group":             {"12", "12"},
		"endpoints":                {"a:1,b:2", []string{"a:1", "b:2"}},
		"cacert":                   {"ca.pem", "ca.pem"},
		"cert":                     {"cert.pem", "cert.pem"},
		"key":                      {"key.pem", "key.pem"},
		"insecure-skip-tls-verify": {"true", true},
		"user":                     {"app", "app"},
		"password":                 {"pw", "pw"},
		"password-file":            {"pw.txt", "pw.txt"},
		"allow-old-servers":        {"true", true},
		"embedded":                 {"true", true},
		"embedded-listen":          {"127.0.0.1:0", "127.0.0.1:0"},
		"prefix":                   {"a/", "a/"},
		"state-dir":                {"/tmp/s", "/tmp/s"},
		"host":                     {"web-3", "web-3"},
		"ttl":                      {"20", 20 * time.Second},
		"min-ttl":                  {"5s", 5 * time.Second},
		"max-ttl":                  {"2m", 2 * time.Minute},
		"margin":                   {"1.5s", 1500 * time.Millisecond},
		"max-sessions":             {"1", 1},
		"max-sessions-per-user":    {"2", 2},
		"max-locks-per-session":    {"3", 3},
		"max-waiters":              {"4", 4},
		"max-waiters-per-name":     {"5", 5},
		"log-level":                {"debug", slog.LevelDebug},
		"log-format":               {"json", "json"},
	}
}

// fields is every setting of c by the address of its field.
func fields(c *Config) map[uintptr]reflect.Value {
	all := make(map[uintptr]reflect.Value)
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		for _, f := range v.Fields() {
			if f.Kind() == reflect.Struct {
				walk(f)
			} else {
				all[f.Addr().Pointer()] = f
			}
		}
	}
	walk(reflect.ValueOf(c).Elem())
	return all
}

func TestEveryFieldIsOneSetting(t *testing.T) {
	c := new(Config)
	left := fields(c)
	for _, o := range c.options() {
		at := reflect.ValueOf(o.value).Pointer()
		if _, ok := left[at]; !ok {
			t.Errorf("%s is bound to no field, or to one that has a setting", o.key)
		}
		delete(left, at)
	}
	if len(left) > 0 {
		t.Errorf("%d fields have no setting", len(left))
	}
}

// TestEverySettingIsFlagKeyAndVariable gives each setting in each way and
// looks at the field that it must reach.
func TestEverySettingIsFlagKeyAndVariable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	ways := map[string]func(t *testing.T, l *loader, key, written string){
		"flag": func(t *testing.T, l *loader, key, written string) {
			l.readFlags(parse(t, "--"+key+"="+written))
		},
		"variable": func(_ *testing.T, l *loader, key, written string) {
			name := "LOCKSIDED_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
			l.process.Environ = []string{name + "=" + written}
			l.readEnvironment()
		},
		"file": func(t *testing.T, l *loader, key, written string) {
			if err := os.WriteFile(file, []byte(key+": "+written+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			l.readFile(file)
		},
	}
	for _, o := range new(Config).options() {
		sample, ok := samples()[o.key]
		if !ok {
			t.Errorf("no sample of %s", o.key)
			continue
		}
		for way, give := range ways {
			l := newLoader(Process{UID: 1})
			give(t, l, o.key, sample.written)
			bound, _ := l.option(o.key)
			got := fields(l.config)[reflect.ValueOf(bound.value).Pointer()].Interface()
			if diff := cmp.Diff(sample.kept, got); diff != "" || len(l.problems) > 0 {
				t.Errorf("%s by %s: %s%v", o.key, way, diff, l.problems)
			}
		}
	}
}

// parse is the flags of a command line.
func parse(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	set := pflag.NewFlagSet("locksided", pflag.ContinueOnError)
	AddFlags(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return set
}

func TestHelpNamesEverySetting(t *testing.T) {
	help := Help(Process{UID: 0})
	for _, o := range new(Config).options() {
		if !strings.Contains(help, "--"+o.key+" ") {
			t.Errorf("--%s is not in the help", o.key)
		}
	}
	for _, want := range []string{"(default /run/lockside/lockside.sock)", "(default 15s)", "(default 0660)"} {
		if !strings.Contains(help, want) {
			t.Errorf("the help lacks %q", want)
		}
	}
}
