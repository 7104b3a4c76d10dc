package daemon_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWallClock: a wall clock may be set at any moment, so what is decided is
// decided by other clocks. Whoever calls time.Now either shows the time to people,
// or takes no more of it than its monotonic part, by time.Since and its like.
func TestWallClock(t *testing.T) {
	shown := []string{ // since= in entries and records, and how long ago that is
		"lockside/daemon/open.go", "lockside/daemon/run.go", "lockside/leases/session.go", "lockside/ipc/reply.go",
		"lockside/cmd/lockside/cli/entries.go", "lockside/cmd/lockside/cli/waiting.go",
	}
	measured := []string{
		"lockside/cmd/lockside/drill/drill.go", "lockside/daemon/peer/names.go", "lockside/ipc/conn.go", "lockside/systemd/notify.go",
		"lockside/leases/etcd/bound.go", "lockside/leases/etcd/kv.go", "lockside/leases/etcd/watcher.go",
		"lockside/leases/etcd/watchloop.go", "lockside/leases/etcd/watchstream.go",
	}
	var found []string
	for _, p := range packages(t) {
		if within(p.ImportPath, "lockside/ipc/transcript", "lockside/leases/etcdtest", "lockside/daemon/faults", "lockside/packaging", "lockside/cmd/lockside/drill/register/registertest") {
			continue // for tests and builds
		}
		for _, file := range p.GoFiles {
			name := p.ImportPath + "/" + file
			uses := clockUses(t, filepath.Join(p.Dir, file))
			if len(uses) > 0 {
				found = append(found, name)
			}
			for use := range uses {
				if !slices.Contains(shown, name) && (use != "Now" || !slices.Contains(measured, name)) {
					t.Errorf("%s uses %s, which may be of the wall clock: say here for what", name, use)
				}
			}
		}
	}
	for _, name := range slices.Concat(shown, measured) {
		if !slices.Contains(found, name) {
			t.Errorf("%s uses no clock any more", name)
		}
	}
}

// clockUses are the names of functions, methods and constants in a file by which
// one gets at the time of the day.
func clockUses(t *testing.T, file string) map[string]bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, _ := s.X.(*ast.Ident)
			of := func(pkg string) bool { return x != nil && x.Name == pkg }
			switch name := s.Sel.Name; {
			case name == "Now" && of("time"),
				strings.HasPrefix(name, "CLOCK_REALTIME"), name == "Gettimeofday",
				slices.Contains([]string{"UTC", "Local", "UnixMilli", "UnixMicro", "UnixNano", "AppendFormat"}, name),
				name == "Unix" && !of("time"), name == "Time" && of("unix"):
				uses[name] = true
			}
		}
		return true
	})
	return uses
}
