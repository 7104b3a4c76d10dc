package ipc_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockside/ipc"
	"lockside/ipc/transcript"
)

func readProtocol(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// section is what stands below a heading, down to the next of its level.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, below, ok := strings.Cut(text, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("PROTOCOL.md has no %q", heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	below, _, _ = strings.Cut(below, "\n"+level+" ")
	return below
}

// tables are the first column of each table in a section, in backticks.
func tables(text string) [][]string {
	var all [][]string
	row := regexp.MustCompile("^\\| `([^`]+)` \\|")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ---") {
			all = append(all, nil)
		} else if cell := row.FindStringSubmatch(line); cell != nil {
			last := len(all) - 1
			all[last] = append(all[last], cell[1])
		}
	}
	return all
}

// constants are the values of a type's constants in a file of this package.
func constants(t *testing.T, file, typ string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for node := range ast.Preorder(tree) {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == typ {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
	}
	return values
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestCodesSentinelsAndDocumentAgree(t *testing.T) {
	var codes []string
	for _, err := range ipc.Errors() {
		codes = append(codes, string(err.Code))
		if err.Text == "" {
			t.Errorf("%s has no text", err.Code)
		}
		for _, other := range ipc.Errors() {
			if errors.Is(err.WithText("another"), other) != (err == other) {
				t.Errorf("errors.Is mixes up %s and %s", err.Code, other.Code)
			}
		}
	}
	text := readProtocol(t)
	same(t, "the sentinels and the codes", codes, constants(t, "errors.go", "Code"))
	same(t, "the table of errors", tables(section(t, text, "## Errors"))[0], codes)
	for _, mention := range regexp.MustCompile("`ERR ([a-z-]+)`").FindAllStringSubmatch(text, -1) {
		if !slices.Contains(codes, mention[1]) {
			t.Errorf("PROTOCOL.md speaks of ERR %s", mention[1])
		}
	}
	// Each code has a place that says how it comes about.
	for _, code := range codes {
		if !strings.Contains(text, "`ERR "+code+"`") && code != string(ipc.CodeTooLong) {
			t.Errorf("PROTOCOL.md does not say when ERR %s is answered", code)
		}
	}
}

func TestReasonsAndDocumentAgree(t *testing.T) {
	var sent, found []string
	for _, reason := range ipc.Reasons() {
		sent = append(sent, string(reason))
	}
	for _, reason := range ipc.ClientReasons() {
		found = append(found, string(reason))
	}
	both := tables(section(t, readProtocol(t), "## Reasons of a loss"))
	same(t, "the table of LOST", both[0], sent)
	same(t, "the table of the client's own reasons", both[1], found)
	same(t, "the constants", constants(t, "reason.go", "Reason"), append(sent, found...))
}

func TestVerbsAndDocumentAgree(t *testing.T) {
	var verbs, headings []string
	text := section(t, readProtocol(t), "## Verbs")
	for _, verb := range ipc.Verbs() {
		verbs = append(verbs, verb.String())
		part := section(t, text, "### "+verb.String())
		if !strings.Contains(part, "\n```\n"+verb.Usage()+"\n```\n") {
			t.Errorf("PROTOCOL.md does not show %q", verb.Usage())
		}
		if !strings.Contains(part, "```transcript\n") || !strings.Contains(part, "Repl") {
			t.Errorf("%s has no transcript or no replies", verb)
		}
		if len(verb.Help()) == 0 {
			t.Errorf("%s has no help", verb)
		}
	}
	for _, heading := range regexp.MustCompile(`(?m)^### (.*)$`).FindAllStringSubmatch(text, -1) {
		headings = append(headings, heading[1])
	}
	if !slices.Equal(headings, verbs) {
		t.Errorf("the verbs of PROTOCOL.md are %q, want %q", headings, verbs)
	}
	if unknown := ipc.Verb(len(verbs) + 1).String(); unknown != "unknown verb" {
		t.Errorf("Verbs does not list %s", unknown)
	}
}

func TestLimitsAndDocumentAgree(t *testing.T) {
	part := section(t, readProtocol(t), "## Limits")
	for what, limit := range map[string]int{
		"bytes in a line, with the LF": ipc.MaxLine,
		"bytes in a name, unescaped":   ipc.MaxName,
		"names in a request":           ipc.MaxNames,
		"bytes in an owner, unescaped": ipc.MaxOwner,
		"bytes behind a waiting LOCK":  ipc.MaxBehind,
	} {
		if row := "| " + what + " | " + strconv.Itoa(limit) + " |"; !strings.Contains(part, row) {
			t.Errorf("PROTOCOL.md has no row %q", row)
		}
	}
}

// TestTranscriptsAreOfTheProtocol reads what the document shows by the
// protocol's own rules. Whether a daemon answers so is tested beside it.
func TestTranscriptsAreOfTheProtocol(t *testing.T) {
	found, err := transcript.Parse(readProtocol(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range found {
		for i, step := range tr.Steps {
			switch {
			case strings.HasPrefix(step.Text, "<"):
			case step.FromPeer:
				if _, err := ipc.ParseReply([]byte(step.Text)); err != nil {
					t.Errorf("line %d: %v", step.Line, err)
				}
			default:
				refused := strings.HasPrefix(tr.Steps[i+1].Text, "ERR bad-request")
				line := strings.ReplaceAll(step.Text, "<fence>", "8123")
				if err := new(ipc.Request).Parse([]byte(line)); (err != nil) != refused {
					t.Errorf("line %d: %v", step.Line, err)
				}
			}
		}
	}
}

func TestHelp(t *testing.T) {
	all := string(ipc.AppendHelp(nil, ""))
	if lines := strings.Count(all, "\n"); lines != len(ipc.Verbs())+1 || !strings.HasSuffix(all, "\nOK\n") {
		t.Errorf("HELP has %d lines:\n%s", lines, all)
	}
	for _, verb := range ipc.Verbs() {
		one := string(ipc.AppendHelp(nil, verb.String()))
		if !strings.HasPrefix(one, "+ text="+verb.Usage()+"\n+ text=") || !strings.HasSuffix(one, "\nOK\n") {
			t.Errorf("HELP %s:\n%s", verb, one)
		}
	}
}

// TestUsageIsWhatParseTakes holds that each option of the usage is taken, and
// that no other is.
func TestUsageIsWhatParseTakes(t *testing.T) {
	samples := []string{"version=1", "owner=x", "events=lost", "wait=1", "ttl=1", "fence=1", "scope=host", "lower-fences=1"}
	for _, verb := range ipc.Verbs() {
		line := verb.String()
		if strings.Contains(verb.Usage(), " NAME") {
			line += " a"
		}
		for _, sample := range samples {
			key, _, _ := strings.Cut(sample, "=")
			err := new(ipc.Request).Parse([]byte(line + " " + sample))
			if taken := strings.Contains(verb.Usage(), "["+key+"="); taken != (err == nil) {
				t.Errorf("%s %s: %v, and the usage is %q", line, sample, err, verb.Usage())
			}
		}
	}
}
