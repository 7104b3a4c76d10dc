package register_test

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"lockside/cmd/lockside/drill/register"
	"lockside/cmd/lockside/drill/register/registertest"
	"lockside/fencing"
)

// The text has all in it that a shell, SQL or a protocol could stumble over.
const awkward = `'; DROP TABLE x; -- "quoted" \ $1 :'value' %s @file`

func TestReference(t *testing.T) {
	server, err := register.Serve(shortDir(t) + "/sock")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	conform(t, register.Spec{URL: server.URL()})
}

func TestPostgres(t *testing.T) {
	server, err := registertest.StartPostgres(shortDir(t))
	skipMissing(t, err, "postgresql")
	defer server.Stop()
	conform(t, register.Spec{URL: server.URL, Name: "lockside_drill_1"})
	if out, err := exec.Command("psql", "-XAtd", server.URL, "-c", `\dt`).Output(); err != nil || strings.Contains(string(out), "lockside_drill") {
		t.Errorf("tables in the end: %q, %v", out, err)
	}
}

func TestRedis(t *testing.T) {
	server, err := registertest.StartRedis(shortDir(t))
	skipMissing(t, err, "redis-server and redis-tools")
	defer server.Stop()
	conform(t, register.Spec{URL: server.URL, Name: "lockside_drill_1"})
	t.Run("errors", func(t *testing.T) {
		wrong := open(t, register.Spec{URL: strings.Replace(server.URL, "cret@", "crets@", 1), Name: "a"})
		if err := wrong.Make(t.Context(), "x"); err == nil || errors.Is(err, fencing.ErrStale) || strings.Contains(err.Error(), "cret") {
			t.Errorf("a wrong password: %v", err)
		}
		absent := open(t, register.Spec{URL: server.URL, Name: "absent"})
		if err := absent.Claim(t.Context(), token(1)); err == nil || errors.Is(err, fencing.ErrStale) {
			t.Errorf("a key that is not there: %v", err)
		}
	})
}

func TestWeb(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl: install curl")
	}
	page := registertest.NewPage(awkward)
	server := httptest.NewServer(page.Guarded())
	defer server.Close()
	r := conform(t, register.Spec{URL: server.URL + "/a?b=c"})
	if got := page.Text(); got != awkward {
		t.Errorf("the text in the end is %q", got)
	}
	err := r.Write(t.Context(), fencing.Token{}, "x")
	if wrong, ok := errors.AsType[*register.StatusError](err); !ok || wrong.Status != 428 {
		t.Errorf("without a fence: %v", err)
	}
}

// conform holds what every register does.
func conform(t *testing.T, spec register.Spec) register.Register {
	t.Helper()
	r := open(t, spec)
	do := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	reads := func(want string) {
		t.Helper()
		got, err := r.Read(t.Context())
		if do("read", err); got != want {
			t.Fatalf("read %q, want %q", got, want)
		}
	}
	refused := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Fatalf("%s: %v, want %v", what, err, want)
		}
		if stale, ok := errors.AsType[*fencing.StaleError](err); ok && stale.Highest != token(12) {
			t.Errorf("%s: %v has been seen, want 12", what, stale.Highest)
		}
	}
	do("make", r.Make(t.Context(), awkward))
	reads(awkward)
	do("claim", r.Claim(t.Context(), token(9)))
	do("write", r.Write(t.Context(), token(9), "a"))
	do("write again", r.Write(t.Context(), token(9), awkward))
	reads(awkward)
	other := open(t, spec) // as another process does
	do("claim of the next", other.Claim(t.Context(), token(12)))
	reads(awkward)
	refused("a late write", r.Write(t.Context(), token(9), "late"), fencing.ErrStale)
	refused("a late claim", r.Claim(t.Context(), token(11)), fencing.ErrStale)
	refused("another cluster", r.Write(t.Context(), fencing.Token{Fence: 13}, "b"), fencing.ErrCluster)
	reads(awkward)
	do("write of the next", other.Write(t.Context(), token(12), "next"))
	reads("next")
	if !register.IsWeb(spec.URL) {
		do("write without a fence", r.Write(t.Context(), fencing.Token{}, awkward))
		reads(awkward)
	}
	if r.Place() == "" || r.Recipe() == "" || strings.Contains(r.Place(), "cret") {
		t.Errorf("it is at %q", r.Place())
	}
	do("remove", r.Remove(t.Context(), token(12)))
	return r
}

func token(fence int64) fencing.Token { return fencing.Token{Cluster: 0xcdf8, Fence: fence} }

func open(t *testing.T, spec register.Spec) register.Register {
	t.Helper()
	r, err := register.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOpenRefuses(t *testing.T) {
	for _, url := range []string{"", "mysql://a", "db.example", "postgres://a:secret%zz@h"} {
		if _, err := register.Open(register.Spec{URL: url}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestMissingProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for url, want := range map[string]string{"postgres://a": "install postgresql-client", "redis://a": "install redis-tools", "http://a": "install curl"} {
		if _, err := open(t, register.Spec{URL: url}).Read(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
}

func skipMissing(t *testing.T, err error, install string) {
	t.Helper()
	if errors.Is(err, registertest.ErrMissing) {
		t.Skipf("%v: install %s", err, install)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// shortDir is a directory whose path leaves room for that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "reg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
