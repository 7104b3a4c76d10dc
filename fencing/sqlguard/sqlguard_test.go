package sqlguard

import (
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"lockside/fencing"
)

// A section is statements of the guards, and what they are for.
type section struct {
	words      string
	statements []string
}

// marker is an argument that shows where it stands.
type marker string

// statements are all that the guards of a dialect send.
func statements(t *testing.T, d Dialect) []section {
	one := func(statement string, err error) []string {
		t.Helper()
		return all(t)([]string{statement}, err)
	}
	token := fencing.Token{Fence: 1 << 40, Cluster: 0xcdf818194e3a8c32}
	table, err := NewTable(Database{DB: new(sql.DB), Dialect: d}, Names{}, "nightly")
	if err != nil {
		t.Fatal(err)
	}
	row, err := NewRow(Database{DB: new(sql.DB), Dialect: d}, Names{Table: "accounts"}, marker(":id"))
	if err != nil {
		t.Fatal(err)
	}
	trigger, err := NewTrigger(Database{DB: new(sql.DB), Dialect: d}, Names{}, "nightly")
	if err != nil {
		t.Fatal(err)
	}
	table.mark.key = marker(":name")
	set := To("balance = ?", marker(":balance"))
	if d == PostgreSQL {
		set.SQL = "balance = $1"
	}
	sections := []section{
		{"Row: two columns of the table that is guarded", all(t)(RowSchema(d, Names{Table: "accounts"}))},
		{"Table: the fence table", one(TableSchema(d, Names{}))},
		{"Trigger: what all triggers of the fence table share", one(CheckSchema(d, Names{}))},
		{"Trigger: the triggers of a table that is guarded", all(t)(TriggerSchema(d, Names{}, "accounts", "nightly"))},
		{"Trigger: first in a transaction, tell the token", []string{strings.NewReplacer("$1", ":fence", "$2", ":cluster").Replace(inOrder(trigger.tell, ":fence", ":cluster"))}},
	}
	if trigger.forget != "" {
		sections = append(sections, section{"Trigger: and take it back", []string{trigger.forget}})
	}
	look := "0 rows, as the token was not admitted, or there is no such row: look"
	if d == MariaDB {
		sections = append(sections,
			section{"Row: lock the row, and compare", []string{shown(row.mark.lookup())}},
			section{"Row: and write, if the token is no lower, or both columns are empty; for a claim without the write", []string{shown(row.mark.assign(token, set, false))}},
			section{"Table: once for each fence, in a transaction of its own", []string{shown(table.mark.seeding())}},
			section{"Table: first in each transaction, lock the row, and compare", []string{shown(table.mark.lookup())}},
			section{"Table: and raise the watermark, if the token is no lower, or both columns are empty", []string{shown(table.mark.upsert(token, false))}})
		return sections
	}
	return append(sections,
		section{"Row: write; for a claim without the write. 1 row was admitted", []string{shown(row.mark.assign(token, set, false))}},
		section{"Row: once a grant", []string{shown(row.mark.assign(token, set, true))}},
		section{"Row: " + look, []string{shown(row.mark.lookup())}},
		section{"Table: first in each transaction. 1 row was admitted", []string{shown(table.mark.upsert(token, false))}},
		section{"Table: once a grant", []string{shown(table.mark.upsert(token, true))}},
		section{"Table: " + look, []string{shown(table.mark.lookup())}})
}

func all(t *testing.T) func([]string, error) []string {
	return func(statements []string, err error) []string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return statements
	}
}

// shown is a statement with names for its parameters.
func shown(q query) string {
	names := make([]string, len(q.args))
	for i, arg := range q.args {
		switch arg := arg.(type) {
		case marker:
			names[i] = string(arg)
		case int64:
			names[i] = ":fence"
		default:
			names[i] = ":cluster"
		}
	}
	if q.d != PostgreSQL {
		return inOrder(q.text(), names...)
	}
	return regexp.MustCompile(`\$\d+`).ReplaceAllStringFunc(q.text(), func(placeholder string) string {
		n, err := strconv.Atoi(placeholder[1:])
		if err != nil {
			return placeholder
		}
		return names[n-1]
	})
}

// inOrder puts names for question marks.
func inOrder(statement string, names ...string) string {
	for _, name := range names {
		statement = strings.Replace(statement, "?", name, 1)
	}
	return statement
}

var update = flag.Bool("update", false, "write testdata anew")

// TestRecipes holds that the files of plain SQL are what the guards send.
func TestRecipes(t *testing.T) {
	for _, d := range []Dialect{PostgreSQL, MariaDB, SQLite} {
		var text strings.Builder
		text.WriteString("-- What lockside's guards send to " + d.String() + ". Parameters are written as :name.\n")
		for _, s := range statements(t, d) {
			text.WriteString("\n-- " + s.words + ".\n")
			for _, statement := range s.statements {
				text.WriteString(statement + ";\n")
			}
		}
		path := filepath.Join("testdata", strings.ToLower(d.String())+".sql")
		if *update {
			if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(kept) != text.String() {
			t.Errorf("%s is not what the guards send; run the test with -update", path)
		}
	}
}

// TestDoc holds that the package's comment shows what the guards send.
func TestDoc(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	blank := func(text string) string { return strings.Join(strings.Fields(strings.ReplaceAll(text, "//", "")), " ") }
	for _, s := range statements(t, PostgreSQL) {
		if s.words != "Table: the fence table" && !strings.HasPrefix(s.words, "Table: first in each") {
			continue
		}
		if !strings.Contains(blank(string(text)), blank(s.statements[0])+";") {
			t.Errorf("the comment does not show\n%s", s.statements[0])
		}
	}
}
