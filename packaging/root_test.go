package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A root is a directory in which packages are installed. It has a shell, and
// programs in place of systemd's that note how they are called.
type root struct {
	t   *testing.T
	dir string
}

// note stands for each of systemd's programs. The service is active, and the
// units are enabled, while there is a file of that name.
const note = `#!/bin/sh
echo "${0##*/} $*" >>/calls
case "$*" in
*is-active*) [ -e /active ] ;;
*was-enabled*) ! [ -e /disabled ] ;;
*reload\ lockside.service*) ! [ -e /broken ] ;;
esac
`

// systemd is what dpkg knows of those programs.
const systemd = `Package: systemd
Provides: procps
Status: install ok installed
Version: 252
Architecture: all
Maintainer: The lockside authors <lockside@example.com>
Description: what the package depends on

`

func newRoot(t *testing.T) *root {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("installing packages takes root")
	}
	r := &root{t, t.TempDir()}
	for _, dir := range []string{"run/systemd/system", "tmp", "dev", "var/lib/dpkg/updates", "var/lib/dpkg/info"} {
		r.check(os.MkdirAll(filepath.Join(r.dir, dir), 0o755))
	}
	r.write("var/lib/dpkg/status", systemd)
	r.write("var/lib/dpkg/info/systemd.list", "/.\n/usr\n/usr/bin\n/usr/bin/systemctl\n")
	r.write("dev/null", "") // a plain file does for what the scripts discard
	r.copy("/bin/sh")
	r.copy("/bin/rm")
	for _, program := range []string{"systemctl", "systemd-sysusers", "deb-systemd-helper", "deb-systemd-invoke"} {
		r.write("usr/bin/"+program, note)
		r.check(os.Chmod(filepath.Join(r.dir, "usr/bin", program), 0o755))
	}
	return r
}

func (r *root) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// copy brings in a program of this machine, and the libraries that it needs.
func (r *root) copy(program string) {
	r.t.Helper()
	libraries := regexp.MustCompile(`/\S+\.so\S*`).FindAllString(says(r.t, "ldd", program), -1)
	for _, file := range append(libraries, program) {
		from, err := os.Open(file)
		r.check(err)
		defer from.Close()
		path := filepath.Join(r.dir, file)
		r.check(os.MkdirAll(filepath.Dir(path), 0o755))
		to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
		r.check(err)
		_, err = io.Copy(to, from)
		r.check(err)
		r.check(to.Close())
	}
}

func (r *root) write(name, text string) {
	r.t.Helper()
	r.check(write(filepath.Join(r.dir, name), []byte(text)))
}

func (r *root) remove(name string) {
	r.t.Helper()
	r.check(os.RemoveAll(filepath.Join(r.dir, name)))
}

// has reports whether there is a file, or a link that leads nowhere.
func (r *root) has(name string) bool {
	_, err := os.Lstat(filepath.Join(r.dir, name))
	return err == nil
}

// want fails unless files are there, or those behind "!" are not.
func (r *root) want(names ...string) {
	r.t.Helper()
	for _, name := range names {
		if missing, ok := strings.CutPrefix(name, "!"); ok == r.has(missing) {
			r.t.Errorf("want %s", name)
		}
	}
}

// calls are those of systemd's programs since the last time, without the words
// that only say how to write.
func (r *root) calls() string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	r.remove("calls")
	return strings.NewReplacer(" --system", "", " --quiet", "", " --no-reload", "").Replace(string(text))
}

// called fails unless these were the calls, in this order.
func (r *root) called(want ...string) {
	r.t.Helper()
	if got := strings.Split(strings.TrimSpace(r.calls()), "\n"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		r.t.Errorf("called\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// dpkg runs it on the root.
func (r *root) dpkg(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "dpkg",
		append([]string{"--root=" + r.dir, "--force-confdef", "--force-confold", "--force-unsafe-io"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("dpkg %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// rpm runs it on the root, with the database there, and leaves out that Debian's
// would rather not be used.
func (r *root) rpm(args ...string) string {
	r.t.Helper()
	out := says(r.t, "rpm", append([]string{"--root", r.dir}, args...)...)
	return regexp.MustCompile(`(?m)^rpm: (RPM should not|However assuming).*\n`).ReplaceAllString(out, "")
}
