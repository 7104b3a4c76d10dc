package main

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	update = flag.Bool("update", false, "write what is expected anew")
	arches = flag.String("packaging.arch", runtime.GOARCH, "build for these `architectures`, with commas between them")
)

// builder builds each version once for all tests.
type builder struct {
	dir      string
	versions map[string]func() ([]string, error)
}

// built are the packages of a version, by their names.
var built = newBuilder()

func newBuilder() *builder {
	b := &builder{versions: map[string]func() ([]string, error){}}
	for _, version := range []string{"v1.2.3", "v1.3.0"} {
		b.versions[version] = sync.OnceValues(func() ([]string, error) { return b.build(version, version) })
	}
	return b
}

// build puts the packages into a directory of that name.
func (b *builder) build(dir, version string) ([]string, error) {
	r := release{version: version, commit: "0123456789abcdef0123456789abcdef01234567", time: time.Unix(1.7e9, 0).UTC()}
	root, err := filepath.Abs("..")
	if err != nil {
		return nil, err
	}
	return build(context.Background(), root, filepath.Join(b.dir, dir), r, strings.Split(*arches, ","))
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "lockside-packages-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		built.dir = dir
		return m.Run()
	}())
}

// packages are all of a version with a suffix, "deb" or "rpm".
func packages(t *testing.T, version, suffix string) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("building packages takes long")
	}
	all, err := built.versions[version]()
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, file := range all {
		if strings.HasSuffix(file, suffix) {
			files = append(files, file)
		}
	}
	return files
}

// own is the package of a version for this machine.
func own(t *testing.T, version, suffix string) string {
	t.Helper()
	name := contents{release: release{version: version}, Arch: runtime.GOARCH}.file(suffix)
	for _, file := range packages(t, version, suffix) {
		if filepath.Base(file) == name {
			return file
		}
	}
	t.Skipf("%s is not built", name)
	return ""
}

// needs skips a test where a program is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
}

// says runs a program that must succeed, and returns what it writes.
func says(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func sum(t *testing.T, file string) [sha256.Size]byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(data)
}

func TestSameTwice(t *testing.T) {
	first := append(packages(t, "v1.2.3", "deb"), packages(t, "v1.2.3", "rpm")...)
	again, err := built.build("again", "v1.2.3")
	if err != nil || len(again) != len(first) || len(again) == 0 {
		t.Fatalf("%d and %d packages: %v", len(first), len(again), err)
	}
	for _, file := range first {
		if sum(t, file) != sum(t, filepath.Join(built.dir, "again", filepath.Base(file))) {
			t.Errorf("%s is another one when it is built again", filepath.Base(file))
		}
	}
}

// TestPrograms holds that they are static, stripped, and know their version.
func TestPrograms(t *testing.T) {
	needs(t, "dpkg-deb")
	dir := t.TempDir()
	says(t, "dpkg-deb", "-x", own(t, "v1.2.3", "deb"), dir)
	for program, dir := range map[string]string{"lockside": dir + "/usr/bin", "locksided": dir + "/usr/sbin"} {
		path := filepath.Join(dir, program)
		file, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 {
			t.Errorf("%s needs %q (%v)", program, libraries, err)
		}
		if file.Section(".symtab") != nil || file.Section(".debug_info") != nil {
			t.Errorf("%s is not stripped", program)
		}
		want := program + " v1.2.3 commit 0123456789abcdef0123456789abcdef01234567 " + runtime.Version()
		if got := says(t, path, "--version"); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
