package daemon

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockside/ipc"
	"lockside/leases"
)

// declared lists the constants or variables of a file, and the strings that
// they are made of.
func declared(t *testing.T, file string, kind token.Token) map[string]string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, decl := range tree.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != kind {
			continue
		}
		for _, spec := range group.Specs {
			value := spec.(*ast.ValueSpec)
			text := ""
			for node := range ast.Preorder(value.Values[0]) {
				if lit, ok := node.(*ast.BasicLit); ok {
					text, _ = strconv.Unquote(lit.Value)
				}
			}
			found[value.Names[0].Name] = text
		}
	}
	return found
}

// TestCodesAreComplete: each error of the locks' side has one code, each code
// has one error or is the daemon's own, and they have the same name.
func TestCodesAreComplete(t *testing.T) {
	var from []error
	var to []ipc.Code
	for _, c := range codes() {
		told, ok := errors.AsType[*ipc.Error](c.to)
		if !ok || slices.Contains(from, c.from) || slices.Contains(to, told.Code) {
			t.Errorf("%v is paired with %v, and not alone", c.from, c.to)
		}
		from, to = append(from, c.from), append(to, told.Code)
	}
	sentinels := declared(t, "../leases/errors.go", token.VAR)
	if len(sentinels) != len(from) {
		t.Errorf("package leases has %d errors, and %d are paired", len(sentinels), len(from))
	}
	for _, code := range to {
		name := sentinel(code)
		if _, ok := sentinels[name]; !ok {
			t.Errorf("package leases has no %s", name)
		}
	}
	own := []ipc.Code{ipc.CodeDenied, ipc.CodeBadRequest, ipc.CodeTooLong, ipc.CodeInternal}
	for _, err := range ipc.Errors() {
		if slices.Contains(own, err.Code) == slices.Contains(to, err.Code) {
			t.Errorf("%s is of the daemon's own and of the locks' side, or of neither", err.Code)
		}
	}
}

// sentinel is the name of a code's error, ErrNotHeld for not-held.
func sentinel(code ipc.Code) string {
	var name strings.Builder
	name.WriteString("Err")
	for part := range strings.SplitSeq(string(code), "-") {
		name.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return name.String()
}

func TestReasonsAreOfTheProtocol(t *testing.T) {
	reasons := declared(t, "../leases/core/errors.go", token.CONST)
	if len(reasons) == 0 {
		t.Error("package core has no reasons")
	}
	for name, text := range reasons {
		if !slices.Contains(ipc.Reasons(), ipc.Reason(text)) {
			t.Errorf("%s, %q, is no reason of the protocol", name, text)
		}
	}
}

func TestExplain(t *testing.T) {
	var objection string
	n := &session{locks: new(leases.Session), server: &server{
		log: slog.New(slog.DiscardHandler), objection: func() string { return objection },
	}}
	secret := errors.New("dial tcp 10.1.2.3:2379")
	for _, test := range []struct {
		err  error
		want string
	}{
		{leases.ErrBusy, ipc.ErrBusy.Error()},
		{fmt.Errorf("%w: %q", leases.ErrHeld, "a"), `held: this session has the name already: "a"`},
		{fmt.Errorf("%w: %w", leases.ErrUnavailable, secret), ipc.ErrUnavailable.Error()},
		{secret, ipc.ErrInternal.Error()},
	} {
		if got := n.explain(test.err); got.Error() != test.want {
			t.Errorf("%v is explained as %q, want %q", test.err, got, test.want)
		}
	}
	objection = "permission denied"
	if got, want := n.explain(leases.ErrUnavailable).Error(), "unavailable: etcd does not serve this host: permission denied"; got != want {
		t.Errorf("with an objection it is explained as %q, want %q", got, want)
	}
}
