package guards_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/sqlguard"
)

func TestSQLRow(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[sqlguard.Set] { return b.row(t, sql.LevelDefault) })
	})
}

func TestSQLTable(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[sqlguard.Work] { return b.fenceTable(t, sql.LevelDefault) })
	})
}

func TestSQLTrigger(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[sqlguard.Work] { return b.trigger(t, sql.LevelDefault) })
	})
}

// resource is what all forms have.
func resource[W any](b *base, guard fencing.Guard[W], table string) *fencingtest.Resource[W] {
	var tokens fencingtest.Tokens
	return &fencingtest.Resource[W]{
		Grant: func(context.Context) (fencingtest.Holder[W], error) {
			return fencingtest.Holder[W]{Guard: guard, Token: tokens.Next()}, nil
		},
		Value: func(ctx context.Context) (value string, err error) {
			query := "SELECT value FROM " + b.quote(table) + " WHERE id = " + b.arg()
			return value, b.direct.QueryRowContext(ctx, query, 7).Scan(&value)
		},
		Restart:   b.restart,
		LoseReply: b.lose(),
	}
}

// things makes a table with a row 7, and one beside it.
func (b *base) things(t *testing.T) string {
	table := b.table("Thing")
	b.do(t, "CREATE TABLE "+b.quote(table)+" (id bigint PRIMARY KEY, value varchar(100) NOT NULL)",
		"INSERT INTO "+b.quote(table)+" VALUES (7, ''), (8, 'other')")
	return table
}

func (b *base) database(level sql.IsolationLevel) sqlguard.Database {
	return sqlguard.Database{DB: b.guarded, Dialect: b.dialect, Isolation: level}
}

// row is a row with a watermark.
func (b *base) row(t *testing.T, level sql.IsolationLevel) *fencingtest.Resource[sqlguard.Set] {
	names := sqlguard.Names{Table: b.things(t), Fence: `fence "of" row`, Cluster: "Cluster"}
	schema := must(sqlguard.RowSchema(b.dialect, names))(t)
	b.do(t, schema...)
	r := resource(b, fencing.Guard[sqlguard.Set](must(sqlguard.NewRow(b.database(level), names, 7))(t)), names.Table)
	r.Set = func(value string) sqlguard.Set { return sqlguard.To("value = "+b.arg()+" -- as told", value) }
	r.Fail = func(value string) sqlguard.Set { return sqlguard.To("id = 8, value = "+b.arg(), value) }
	r.Unknown = must(sqlguard.NewRow(b.database(level), names, 9))(t)
	return r
}

// fenceTable is a row behind a fence table.
func (b *base) fenceTable(t *testing.T, level sql.IsolationLevel) *fencingtest.Resource[sqlguard.Work] {
	names := sqlguard.Names{Table: b.table("Fences"), Key: "The lock"}
	b.do(t, must(sqlguard.TableSchema(b.dialect, names))(t))
	table, name := b.things(t), `it's \ "nightly"`
	r := resource(b, fencing.Guard[sqlguard.Work](must(sqlguard.NewTable(b.database(level), names, name))(t)), table)
	b.works(r, table)
	if b.dialect == sqlguard.MariaDB { // where to make the fence's row is a commit of its own, which is not to be lost
		r.LoseReply = func(ctx context.Context, call func(context.Context) error) error {
			seed := "INSERT IGNORE INTO " + b.quote(names.Table) + " (" + b.quote(names.Key) + ") VALUES (?)"
			if _, err := b.direct.ExecContext(ctx, seed, name); err != nil {
				return err
			}
			return b.lose()(ctx, call)
		}
	}
	return r
}

// trigger is a row whose table has triggers.
func (b *base) trigger(t *testing.T, level sql.IsolationLevel) *fencingtest.Resource[sqlguard.Work] {
	names := sqlguard.Names{Table: b.table("Fences"), Key: "The lock", Fence: "the fence", Cluster: "its cluster"}
	table, name := b.things(t), `it's \ "nightly"`
	b.do(t, must(sqlguard.TableSchema(b.dialect, names))(t), must(sqlguard.CheckSchema(b.dialect, names))(t))
	b.do(t, must(sqlguard.TriggerSchema(b.dialect, names, table, name))(t)...)
	r := resource(b, fencing.Guard[sqlguard.Work](must(sqlguard.NewTrigger(b.database(level), names, name))(t)), table)
	b.works(r, table)
	r.Many = true

	// A guard of another fence's name has no row to claim; a table whose triggers
	// look for that row has none, either.
	other := b.things(t)
	statements := must(sqlguard.TriggerSchema(b.dialect, names, other, "other"))(t)
	b.do(t, statements[1:]...)
	r.Unknown = elsewhere{must(sqlguard.NewTrigger(b.database(level), names, "other"))(t), b.update(other, "unknown")}
	return r
}

// elsewhere is a guard whose writes go elsewhere.
type elsewhere struct {
	*sqlguard.Trigger
	work sqlguard.Work
}

func (e elsewhere) Write(ctx context.Context, t fencing.Token, _ sqlguard.Work) error {
	return e.Trigger.Write(ctx, t, e.work)
}

var errHalf = errors.New("it fails half-way")

// works are the writes of transactions.
func (b *base) works(r *fencingtest.Resource[sqlguard.Work], table string) {
	r.Set = func(value string) sqlguard.Work { return b.update(table, value) }
	r.Fail = func(value string) sqlguard.Work {
		return func(ctx context.Context, tx *sql.Tx) error {
			return errors.Join(b.update(table, value)(ctx, tx), errHalf)
		}
	}
}

// update is a write that knows nothing of fences.
func (b *base) update(table, value string) sqlguard.Work {
	return func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE "+b.quote(table)+" SET value = "+b.arg()+" WHERE id = 7", value)
		return err
	}
}

// must fails the test on an error.
func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
