package main

import (
	"os/exec"
	"regexp"
	"testing"
	"time"
)

func TestPackageVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":                             "1.2.3",
		"v1.2.3-rc.1":                        "1.2.3~rc.1",
		"v0.0.0-20261202200347-436884d76be4": "0.0.0~20261202200347.436884d76be4",
		"v1.2.4-0.20261202200347-436884d76be4+dirty": "1.2.4~0.20261202200347.436884d76be4+dirty",
	} {
		if got := (release{version: version}).packageVersion(); got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}

// TestFindRelease lets a repository grow, and asks what it is at each step.
func TestFindRelease(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	is := func(given, pattern string) {
		t.Helper()
		r, err := findRelease(t.Context(), dir, given)
		if err != nil || !regexp.MustCompile("^"+pattern+"$").MatchString(r.version) {
			t.Errorf("got %q, %v; want %s", r.version, err, pattern)
		}
	}
	if _, err := findRelease(t.Context(), dir, ""); err == nil {
		t.Error("there is a version without a repository")
	}
	t.Setenv("GIT_COMMITTER_DATE", "2026-12-02T20:03:47Z")
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "one")
	is("", `v0\.0\.0-20261202200347-[0-9a-f]{12}`)
	git("tag", "v1.2.3")
	is("", `v1\.2\.3`)
	git("commit", "-q", "--allow-empty", "-m", "two")
	is("", `v1\.2\.4-0\.20261202200347-[0-9a-f]{12}`)
	is("v2.0.0", `v2\.0\.0`)
	if err := write(dir+"/new", nil); err != nil {
		t.Fatal(err)
	}
	is("", `v1\.2\.4-0\.20261202200347-[0-9a-f]{12}\+dirty`)
	if _, err := findRelease(t.Context(), dir, "1.2"); err == nil {
		t.Error("1.2 is taken for a version")
	}
}

func TestFindReleaseWithoutARepository(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	r, err := findRelease(t.Context(), t.TempDir(), "v1.2.3")
	if want := (release{version: "v1.2.3", time: time.Unix(1e9, 0).UTC()}); err != nil || r != want {
		t.Errorf("got %v, %v; want %v", r, err, want)
	}
}
