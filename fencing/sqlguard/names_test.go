package sqlguard

import (
	"database/sql"
	"strings"
	"testing"
)

func TestQuoting(t *testing.T) {
	for _, test := range []struct {
		d          Dialect
		name, want string // "" for an error
	}{
		{PostgreSQL, "accounts", `"accounts"`},
		{PostgreSQL, "billing.accounts", `"billing"."accounts"`},
		{PostgreSQL, `a"; DROP TABLE b; --`, `"a""; DROP TABLE b; --"`},
		{PostgreSQL, "a`b", "\"a`b\""},
		{MariaDB, "a`b", "`a``b`"},
		{MariaDB, `a"b`, "`a\"b`"},
		{MariaDB, "billing.accounts", "`billing`.`accounts`"},
		{SQLite, `main.a"b`, `"main"."a""b"`},
		{PostgreSQL, strings.Repeat("ä", 31) + "a", `"` + strings.Repeat("ä", 31) + `a"`},
		{PostgreSQL, strings.Repeat("ä", 32), ""}, // which it would cut short
		{MariaDB, strings.Repeat("ä", 64), "`" + strings.Repeat("ä", 64) + "`"},
		{MariaDB, strings.Repeat("a", 65), ""},
		{MariaDB, "blank ", ""},
		{SQLite, "", ""},
		{SQLite, "main.", ""},
		{SQLite, ".a", ""},
		{PostgreSQL, "a.b.c", ""},
		{PostgreSQL, "a\x00b", ""},
		{MariaDB, "a\xffb", ""},
	} {
		got, err := test.d.table(test.name)
		if (err == nil) != (test.want != "") || err == nil && got != test.want {
			t.Errorf("%v quotes %q as %s, %v; want %s", test.d, test.name, got, err, test.want)
		}
	}
}

func TestLiterals(t *testing.T) {
	for _, test := range []struct {
		d          Dialect
		text, want string
	}{
		{PostgreSQL, "it's", `'it''s'`},
		{MariaDB, "it's", `'it''s'`},
		{SQLite, `it's\`, `'it''s\'`},
		{PostgreSQL, `\'`, `E'\\'''`},
		{MariaDB, `\'`, `x'5c27'`},
	} {
		if got := test.d.literal(test.text); got != test.want {
			t.Errorf("%v writes %q as %s, want %s", test.d, test.text, got, test.want)
		}
	}
}

// TestBadNames holds that what is wrong is told when a guard is made.
func TestBadNames(t *testing.T) {
	db := Database{DB: new(sql.DB), Dialect: PostgreSQL}
	long := strings.Repeat("n", longest+1)
	for what, err := range map[string]error{
		"a row of no table":              second(NewRow(db, Names{}, 7)),
		"a row with a column's bad name": second(NewRow(db, Names{Table: "accounts", Fence: "a\x00b"}, 7)),
		"a row without a database":       second(NewRow(Database{Dialect: SQLite}, Names{Table: "accounts"}, 7)),
		"a row without a dialect":        second(NewRow(Database{DB: new(sql.DB)}, Names{Table: "accounts"}, 7)),
		"a fence without a name":         second(NewTable(db, Names{}, "")),
		"a fence with a long name":       second(NewTable(db, Names{}, long)),
		"a trigger's long name":          second(NewTrigger(db, Names{}, long)),
		"a function's name too long":     second(CheckSchema(PostgreSQL, Names{Table: strings.Repeat("a", 60)})),
		"a function's end":               second(CheckSchema(PostgreSQL, Names{Fence: "a" + dollar})),
		"a schema of SQLite's triggers":  second(TriggerSchema(SQLite, Names{}, "main.accounts", "nightly")),
		"a trigger's bad table":          second(TriggerSchema(MariaDB, Names{}, "", "nightly")),
		"a fence table's bad key":        second(TableSchema(MariaDB, Names{Key: "blank "})),
		"a row's bad cluster":            second(RowSchema(SQLite, Names{Table: "accounts", Cluster: "\x00"})),
	} {
		if err == nil {
			t.Errorf("%s is no error", what)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestArgumentsAreTheCallers holds that a statement leaves the caller's arguments
// as they are, even where there is room behind them.
func TestArgumentsAreTheCallers(t *testing.T) {
	row, err := NewRow(Database{DB: new(sql.DB), Dialect: SQLite}, Names{Table: "accounts"}, 7)
	if err != nil {
		t.Fatal(err)
	}
	args := make([]any, 1, 10)
	row.mark.assign(token(9), Set{SQL: "balance = ?", Args: args}, false)
	if args[:2][1] != nil {
		t.Errorf("%v was written behind the arguments", args[:2][1])
	}
}
