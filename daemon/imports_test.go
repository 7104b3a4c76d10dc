package daemon_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pkg is a package of this module as go list tells of it.
type pkg struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, Deps                      []string
}

// packages lists all packages of the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,Deps", "./...")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// within reports whether a package is one of these, or below one.
func within(path string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool {
		return path == tree || strings.HasPrefix(path, tree+"/")
	})
}

// foreign reports whether a package is neither ours nor Go's.
func foreign(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") && !within(path, "golang.org/x/sys")
}

// TestImports holds that dependencies point one way, however far they reach:
// cmd, daemon, leases; and ipc and fencing are for anybody's program. A guard
// brings no driver: etcd's own client is that of the data that it guards.
func TestImports(t *testing.T) {
	rules := []struct {
		tree  string
		never []string // of what its packages depend on
		but   []string // exceptions
	}{
		{"lockside/ipc", []string{"lockside", "go.etcd.io"}, []string{"lockside/ipc"}},
		{"lockside/fencing", []string{"lockside"}, []string{"lockside/fencing"}},
		{"lockside/leases", []string{"lockside"}, []string{"lockside/leases"}},
		{"lockside/systemd", []string{"lockside", "go.etcd.io"}, []string{"lockside/systemd"}},
		{"lockside/daemon", []string{"lockside/cmd", "lockside/leases/etcdtest", "testing"}, nil},
		{"lockside/cmd", []string{"lockside/leases/etcdtest", "testing"}, nil},
		{"lockside/cmd/lockside", []string{"go.etcd.io", "google.golang.org", "lockside/daemon", "lockside/leases"}, []string{"lockside/leases/keys", "lockside/leases/boottime"}},
	}
	used := map[string]bool{}
	for _, p := range packages(t) {
		if within(p.ImportPath, "lockside/fencing") && p.ImportPath != "lockside/fencing/etcdguard" {
			if i := slices.IndexFunc(p.Deps, foreign); i >= 0 {
				t.Errorf("%s depends on %s", p.ImportPath, p.Deps[i])
			}
		}
		for _, rule := range rules {
			if !within(p.ImportPath, rule.tree) {
				continue
			}
			used[rule.tree] = true
			for _, dep := range p.Deps {
				if within(dep, rule.never...) && !within(dep, rule.but...) {
					t.Errorf("%s depends on %s", p.ImportPath, dep)
				}
			}
		}
	}
	for _, tree := range []string{"lockside/ipc", "lockside/leases", "lockside/daemon", "lockside/cmd/lockside"} {
		if !used[tree] {
			t.Errorf("there is no %s", tree)
		}
	}
}

// TestCoreIsPure holds that the core can do nothing but compute: what it
// imports is listed, and it neither asks for the time nor starts anything.
func TestCoreIsPure(t *testing.T) {
	pure := []string{
		"cmp", "container/heap", "errors", "fmt", "iter", "maps", "slices", "strconv", "strings", "time",
		"lockside/leases/keys",
	}
	impure := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	for _, p := range packages(t) {
		if p.ImportPath != "lockside/leases/core" && p.ImportPath != "lockside/leases/keys" {
			continue
		}
		for _, imported := range p.Imports {
			if !slices.Contains(pure, imported) {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
		for _, file := range p.GoFiles {
			for node := range ast.Preorder(parse(t, filepath.Join(p.Dir, file), 0)) {
				switch node := node.(type) {
				case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt:
					t.Errorf("%s starts a goroutine, or has a channel", file)
				case *ast.SelectorExpr:
					if x, ok := node.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(impure, node.Sel.Name) {
						t.Errorf("%s calls time.%s", file, node.Sel.Name)
					}
				}
			}
		}
	}
}

// TestPackageComments holds that each package has one file that says what it is.
func TestPackageComments(t *testing.T) {
	for _, p := range packages(t) {
		var found []string
		for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			if parse(t, filepath.Join(p.Dir, file), parser.PackageClauseOnly|parser.ParseComments).Doc != nil {
				found = append(found, file)
			}
		}
		if len(found) != 1 {
			t.Errorf("%s has its comment in %q, want one file", p.ImportPath, found)
		}
	}
}

func parse(t *testing.T, path string, mode parser.Mode) *ast.File {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), path, nil, mode)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
