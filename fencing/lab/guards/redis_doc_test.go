package guards_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"net"
	"os/exec"
	"strings"
	"testing"
)

// packageDoc is the comment of a package of the module above.
func packageDoc(t *testing.T, name string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../"+name+"/doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	return file.Doc.Text()
}

// adapter is the code of an example's declarations, but for its function.
func adapter(t *testing.T, path string) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
		case *ast.FuncDecl:
			if strings.HasPrefix(d.Name.Name, "Example") {
				continue
			}
		}
		var text bytes.Buffer
		if err := format.Node(&text, files, declaration); err != nil {
			t.Fatal(err)
		}
		all = append(all, text.String())
	}
	return all
}

// holdsAdapter checks that a package's comment shows the adapter that the tests
// use.
func holdsAdapter(t *testing.T, doc, path string) {
	t.Helper()
	for _, declaration := range adapter(t, path) {
		if shown := "\t" + strings.ReplaceAll(declaration, "\n", "\n\t"); !strings.Contains(doc, strings.ReplaceAll(shown, "\n\t\n", "\n\n")) {
			t.Errorf("the package's comment does not show\n%s", declaration)
		}
	}
}

func TestRedisAdapterIsShown(t *testing.T) {
	holdsAdapter(t, packageDoc(t, "redisguard"), "redis_example_test.go")
}

// TestRedisRecipe types what the package's comment shows at a terminal, in the
// package's directory.
func TestRedisRecipe(t *testing.T) {
	if _, err := exec.LookPath("redis-cli"); err != nil {
		t.Skip("there is no redis-cli; apt-get install redis-tools")
	}
	_, port, err := net.SplitHostPort(startRedis(t).Addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	var typed, shown, printed []string
	for line := range strings.Lines(packageDoc(t, "redisguard")) {
		line = strings.TrimSuffix(line, "\n")
		if command, found := strings.CutPrefix(line, "\t$ redis-cli "); found {
			cli := exec.CommandContext(t.Context(), "redis-cli", append([]string{"--no-raw", "-p", port}, strings.Fields(command)...)...)
			cli.Dir = "../../redisguard"
			out, err := cli.CombinedOutput()
			if err != nil {
				t.Fatalf("redis-cli %s: %v\n%s", command, err, out)
			}
			typed = append(typed, command)
			printed = append(printed, string(out))
			shown = append(shown, "")
		} else if answer, found := strings.CutPrefix(line, "\t"); found && len(shown) > 0 {
			shown[len(shown)-1] += answer + "\n"
		}
	}
	if len(typed) != 8 {
		t.Errorf("it shows %d commands, want 8", len(typed))
	}
	for i := range typed {
		if printed[i] != shown[i] {
			t.Errorf("redis-cli %s prints\n%swhere the comment has\n%s", typed[i], printed[i], shown[i])
		}
	}
}
