package guards_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/sqlguard"
)

// looks is a guard that looks at the watermark, and then writes: no lock is held
// in between.
type looks[W any] struct {
	b     *base
	look  string // a SELECT of fence and cluster
	write func(ctx context.Context, t fencing.Token, w W) error
}

func (g looks[W]) admit(ctx context.Context, t fencing.Token) error {
	var seen fencing.Watermark
	if err := g.b.guarded.QueryRowContext(ctx, g.look).Scan(&seen.Highest, &seen.Highest.Cluster); err != nil {
		return err
	}
	_, err := seen.Admit(t)
	time.Sleep(2 * time.Millisecond) // others write
	return err
}

func (g looks[W]) Claim(ctx context.Context, t fencing.Token) error {
	var nothing W
	return g.Write(ctx, t, nothing)
}

func (g looks[W]) Write(ctx context.Context, t fencing.Token, w W) error {
	if err := g.admit(ctx, t); err != nil {
		return err
	}
	return g.write(ctx, t, w)
}

func (g looks[W]) WriteOnce(ctx context.Context, t fencing.Token, w W) error {
	return g.Write(ctx, t, w)
}

// raced is how a race was lost.
const raced = "was accepted after one with|the value is"

// TestBrokenSQLRow has a row that is read, and then updated.
func TestBrokenSQLRow(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		mustFail(t, "writers that race", raced, func(t *testing.T) *fencingtest.Resource[sqlguard.Set] {
			table := b.things(t)
			b.do(t, must(sqlguard.RowSchema(b.dialect, sqlguard.Names{Table: table}))(t)...)
			guard := looks[sqlguard.Set]{b, "SELECT fence, cluster FROM " + b.quote(table) + " WHERE id = 7",
				func(ctx context.Context, t fencing.Token, w sqlguard.Set) error {
					if w.SQL != "" {
						w.SQL += "\n,"
					}
					statement := fmt.Sprintf("UPDATE %s SET %s fence = %d, cluster = '%v' WHERE id = 7", b.quote(table), w.SQL, t.Fence, t.Cluster)
					_, err := b.guarded.ExecContext(ctx, statement, w.Args...)
					return err
				}}
			r := resource(b, fencing.Guard[sqlguard.Set](guard), table)
			r.Set = func(value string) sqlguard.Set { return sqlguard.To("value = "+b.arg(), value) }
			return r
		})
	})
}

// TestBrokenSQLTable has a fence table that is read before the transaction, and
// not in it.
func TestBrokenSQLTable(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		mustFail(t, "writers that race", raced, func(t *testing.T) *fencingtest.Resource[sqlguard.Work] {
			fences := b.table("Fences")
			b.do(t, must(sqlguard.TableSchema(b.dialect, sqlguard.Names{Table: fences}))(t),
				"INSERT INTO "+b.quote(fences)+" (name) VALUES ('nightly')")
			table := b.things(t)
			guard := looks[sqlguard.Work]{b, "SELECT fence, cluster FROM " + b.quote(fences) + " WHERE name = 'nightly'",
				func(ctx context.Context, t fencing.Token, w sqlguard.Work) error {
					raise := fmt.Sprintf("UPDATE %s SET fence = %d, cluster = '%v'", b.quote(fences), t.Fence, t.Cluster)
					return b.transaction(ctx, raise, w)
				}}
			r := resource(b, fencing.Guard[sqlguard.Work](guard), table)
			b.works(r, table)
			return r
		})
	})
}

// transaction executes a statement, and does work.
func (b *base) transaction(ctx context.Context, first string, w sqlguard.Work) error {
	tx, err := b.guarded.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if _, err := tx.ExecContext(ctx, first); err != nil {
		return err
	}
	if w != nil {
		if err := w(ctx, tx); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// TestBrokenSQLTrigger has a trigger that does not lock the row which it looks at.
// In MariaDB and SQLite, where that of the row which is written, or of all of them,
// is held by then, it is one that is missing.
func TestBrokenSQLTrigger(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		name, as := "a stale write is refused", "<nil>, want it refused as stale"
		if b.dialect == sqlguard.PostgreSQL {
			name, as = "writers that race", raced
		}
		mustFail(t, name, as, func(t *testing.T) *fencingtest.Resource[sqlguard.Work] { return b.brokenTrigger(t) })
	})
}

func (b *base) brokenTrigger(t *testing.T) *fencingtest.Resource[sqlguard.Work] {
	names, table := sqlguard.Names{Table: b.table("Fences")}, b.things(t)
	check := must(sqlguard.CheckSchema(b.dialect, names))(t)
	triggers := must(sqlguard.TriggerSchema(b.dialect, names, table, "nightly"))(t)
	if b.dialect == sqlguard.PostgreSQL { // it looks, and writes what it has compared
		check = strings.NewReplacer(" FOR UPDATE;", "; PERFORM pg_sleep(0.01 * random());", "IF seen < token", "IF true").Replace(check)
	} else { // that of UPDATE
		triggers = append(triggers[:2], triggers[3])
	}
	b.do(t, must(sqlguard.TableSchema(b.dialect, names))(t), check)
	b.do(t, triggers...)
	guard := must(sqlguard.NewTrigger(b.database(sql.LevelDefault), names, "nightly"))(t)
	r := resource(b, fencing.Guard[sqlguard.Work](guard), table)
	b.works(r, table)
	return r
}
