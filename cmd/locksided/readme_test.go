package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the module's directory, where the page's commands are typed.
const root = "../.."

// testCommand is the command of the page that .ci/run runs, since this test is
// part of it.
const testCommand = "go test ./..."

// TestReadme types every command that README.md shows, at the terminals that
// it names, and holds what appears against what it shows.
func TestReadme(t *testing.T) {
	for _, tool := range []string{"bash", "socat"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s, as the README does: install it first", tool)
		}
	}
	h := newPlace(t)
	r := &replay{
		t: t, stands: h.stands, fences: fences{},
		open:      func() *terminal { return newTerminal(t, root, h.environ) },
		terminals: map[string]*desk{},
	}
	for _, b := range readBlocks(t, filepath.Join(root, "README.md")) {
		switch {
		case slices.Equal(b.lines, []string{prompt + testCommand}):
			// .ci/run runs it; see TestReadmeHasTheTestCommand.
		case b.kind == "console" && b.name == "install":
			// It takes a machine of its own, which packaging's tests boot.
		case b.kind == "console" && b.name != "":
			r.block(b)
		case b.kind == "yaml" && b.name != "":
			h.save(b)
		default:
			t.Errorf("README.md:%d: nothing tests a block of kind %q", b.first, b.kind)
		}
	}
	r.end()
}

// TestReadmeHasTheTestCommand holds what .ci/run looks for.
func TestReadmeHasTheTestCommand(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(?m)^\$ go test .*$`).FindAllString(string(page), -1); len(found) != 1 || found[0] != prompt+testCommand {
		t.Errorf("README.md shows %q to pass the tests, want %q alone", found, testCommand)
	}
}

// A place is where the page's commands run: directories in place of the host's
// own, and an etcd in place of the reader's.
type place struct {
	t       testing.TB
	stands  *strings.Replacer
	environ []string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "ls") // short: a socket's path holds 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	runtime, etc, home := filepath.Join(dir, "run"), filepath.Join(dir, "etc"), filepath.Join(dir, "home")
	bin, data := filepath.Join(dir, "bin"), filepath.Join(dir, "etcd")
	for _, sub := range []string{runtime, etc, home, bin} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	e := startEtcd(t, etc, data)
	newSystemctl(t, bin, e)
	buildTools(t, bin)
	stands := []string{
		"/run/user/1000", runtime, "/etc/lockside", etc, "/var/lib/etcd", data,
		"backup.db", filepath.Join(dir, "backup.db"), // not in the clone, where commands are typed
	}
	for i, endpoint := range e.endpoints() {
		stands = append(stands, fmt.Sprintf("https://etcd-%d:2379", i+1), endpoint)
	}
	return &place{t: t, stands: strings.NewReplacer(stands...), environ: environ(t, runtime, home, bin)}
}

// buildTools builds etcd's own tools into bin.
func buildTools(t testing.TB, bin string) {
	t.Helper()
	build := exec.Command("go", "build", "-modfile=packaging/tools/go.mod", "-o", bin+"/",
		"go.etcd.io/etcd/etcdctl/v3", "go.etcd.io/etcd/etcdutl/v3")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build etcdctl and etcdutl: %v\n%s", err, out)
	}
}

// environ makes the home and the directories of the user others than those of
// this process, but has Go keep what it has fetched and built.
func environ(t testing.TB, runtime, home, tools string) []string {
	t.Helper()
	bin := filepath.Join(home, "bin")
	all := append(slices.DeleteFunc(os.Environ(), isOurs),
		"HOME="+home, "XDG_RUNTIME_DIR="+runtime, "XDG_STATE_HOME=", "LOCKSIDED_HOST=web-3",
		"GOBIN="+bin, "PATH="+tools+":"+bin+":"+os.Getenv("PATH"))
	if os.Geteuid() == 0 { // root's daemon is the host's, unless told otherwise
		all = append(all, "LOCKSIDED_SOCKET="+filepath.Join(runtime, "lockside", "lockside.sock"),
			"LOCKSIDED_STATE_DIR="+filepath.Join(home, ".local", "state", "lockside"))
	}
	for _, name := range []string{"GOENV", "GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name+"="+strings.TrimSpace(string(value)))
	}
	return all
}

// isOurs reports whether a variable would configure the programs under test.
func isOurs(variable string) bool { return strings.HasPrefix(variable, "LOCKSIDE") }

// save writes a file that the page shows.
func (p *place) save(b block) {
	p.t.Helper()
	text := p.stands.Replace(strings.Join(b.lines, "\n") + "\n")
	if err := os.WriteFile(p.stands.Replace(b.name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}
