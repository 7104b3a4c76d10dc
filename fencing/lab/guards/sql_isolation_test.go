package guards_test

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/sqlguard"
)

// TestSQLIsolation has writers race in each form at each isolation level. What a
// database does not let happen it tells by an error of its own, after which the
// call is repeated.
func TestSQLIsolation(t *testing.T) {
	t.Run("Postgres", func(t *testing.T) {
		levels(t, openPostgres(t), sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable)
	})
	t.Run("MariaDB", func(t *testing.T) {
		levels(t, openMariaDB(t), sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable)
	})
	t.Run("MariaDB with innodb_snapshot_isolation", func(t *testing.T) {
		levels(t, mariadb(t, "innodb_snapshot_isolation=ON"), sql.LevelRepeatableRead)
	})
	for _, settings := range []string{"_pragma=journal_mode(WAL)", "_pragma=journal_mode(DELETE)", "_pragma=journal_mode(WAL)&_txlock=immediate"} {
		t.Run("SQLite with "+settings, func(t *testing.T) { levels(t, sqlite(t, settings), sql.LevelDefault) })
	}
}

func levels(t *testing.T, b *base, all ...sql.IsolationLevel) {
	for _, level := range all {
		t.Run(level.String(), func(t *testing.T) {
			t.Run("row", func(t *testing.T) { races(t, b.row(t, level)) })
			t.Run("table", func(t *testing.T) { races(t, b.fenceTable(t, level)) })
			t.Run("trigger", func(t *testing.T) { races(t, b.trigger(t, level)) })
		})
	}
}

// races runs that case of the suite.
func races[W any](t *testing.T, r *fencingtest.Resource[W]) {
	var repeats atomic.Int64
	grant := r.Grant
	r.Grant = func(ctx context.Context) (fencingtest.Holder[W], error) {
		h, err := grant(ctx)
		h.Guard = patient[W]{h.Guard, &repeats}
		return h, err
	}
	for _, c := range fencingtest.Cases[W]() {
		if c.Name != "writers that race" {
			continue
		}
		if err := c.Run(t.Context(), r); err != nil {
			t.Error(err)
		}
		t.Logf("%d calls were repeated", repeats.Load())
		return
	}
	t.Fatal("there is no race")
}

// patient repeats what the database has undone.
type patient[W any] struct {
	fencing.Guard[W]
	repeats *atomic.Int64
}

func (p patient[W]) Claim(ctx context.Context, t fencing.Token) error {
	return p.repeat(func() error { return p.Guard.Claim(ctx, t) })
}

func (p patient[W]) Write(ctx context.Context, t fencing.Token, w W) error {
	return p.repeat(func() error { return p.Guard.Write(ctx, t, w) })
}

func (p patient[W]) repeat(call func() error) error {
	for {
		err := call()
		if !undone(err) {
			return err
		}
		p.repeats.Add(1)
	}
}

// undone tells a serialization failure and a deadlock.
func undone(err error) bool {
	if coded, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return coded.SQLState() == "40001" || coded.SQLState() == "40P01"
	}
	failed, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && (failed.Number == 1213 || failed.Number == 1020)
}

// TestSQLReset does what the manual tells operators to do when the cluster is a new
// one, and holds that tokens of the former one are not let in again.
func TestSQLReset(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		names := sqlguard.Names{Table: b.table("Fences")}
		b.do(t, must(sqlguard.TableSchema(b.dialect, names))(t))
		table := b.things(t)
		guard := must(sqlguard.NewTable(b.database(sql.LevelDefault), names, "nightly"))(t)
		former, next := fencing.Token{Cluster: 0xcdf818194e3a8c32, Fence: 8123}, fencing.Token{Cluster: 0xa1, Fence: 12}
		write := func(token fencing.Token) error {
			return guard.Write(t.Context(), token, b.update(table, token.String()))
		}
		if err := write(former); err != nil {
			t.Fatal(err)
		}
		if err := write(next); !errors.Is(err, fencing.ErrCluster) {
			t.Errorf("before the reset: %v, want %v", err, fencing.ErrCluster)
		}
		b.do(t, "UPDATE "+b.quote(names.Table)+" SET fence = 0, cluster = 'a1' WHERE name = 'nightly'")
		former.Fence++
		if err := write(former); !errors.Is(err, fencing.ErrCluster) {
			t.Errorf("the former cluster after the reset: %v, want %v", err, fencing.ErrCluster)
		}
		if err := write(next); err != nil {
			t.Errorf("the next cluster after the reset: %v", err)
		}
	})
}

// TestSQLTriggerReset does so for triggers, and holds that they tell a token of the
// former cluster from one that is stale before the new one has been seen.
func TestSQLTriggerReset(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		names, table := sqlguard.Names{Table: "fences"}, b.things(t)
		b.do(t, must(sqlguard.TableSchema(b.dialect, names))(t), must(sqlguard.CheckSchema(b.dialect, names))(t))
		b.do(t, must(sqlguard.TriggerSchema(b.dialect, names, table, "nightly"))(t)...)
		b.do(t, "UPDATE fences SET fence = 0, cluster = 'a1' WHERE name = 'nightly'")
		guard := must(sqlguard.NewTrigger(b.database(sql.LevelDefault), names, "nightly"))(t)
		former, next := fencing.Token{Cluster: 0xcdf818194e3a8c32, Fence: 8123}, fencing.Token{Cluster: 0xa1, Fence: 12}
		if err := guard.Write(t.Context(), former, b.update(table, "former")); !errors.Is(err, fencing.ErrCluster) {
			t.Errorf("the former cluster: %v, want %v", err, fencing.ErrCluster)
		}
		if err := guard.Write(t.Context(), next, b.update(table, "next")); err != nil {
			t.Errorf("the next cluster: %v", err)
		}
	})
}

// TestSQLNoWatermark has what somebody else wrote in the place of a watermark: that
// is no fault of the caller's token.
func TestSQLNoWatermark(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		names := sqlguard.Names{Table: "fences"}
		b.do(t, must(sqlguard.TableSchema(b.dialect, names))(t))
		guard := must(sqlguard.NewTable(b.database(sql.LevelDefault), names, "nightly"))(t)
		b.do(t, "INSERT INTO fences VALUES ('nightly', 8123, 'A1')")
		err := guard.Claim(t.Context(), fencing.Token{Cluster: 0xa1, Fence: 8124})
		if err == nil || errors.Is(err, fencing.ErrToken) || errors.Is(err, fencing.ErrCluster) {
			t.Errorf("the cluster is A1: %v, want an error of the database's own", err)
		}
	})
}

// TestSQLNull has rows that were there before the columns, and are NULL in them.
func TestSQLNull(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		table := b.things(t)
		b.do(t, "ALTER TABLE "+b.quote(table)+" ADD COLUMN fence bigint", "ALTER TABLE "+b.quote(table)+" ADD COLUMN cluster varchar(16)")
		guard := must(sqlguard.NewRow(b.database(sql.LevelDefault), sqlguard.Names{Table: table}, 7))(t)
		var tokens fencingtest.Tokens
		first, second := tokens.Next(), tokens.Next()
		set := sqlguard.To("value = "+b.arg(), "new")
		if err := errors.Join(guard.WriteOnce(t.Context(), first, set), guard.Claim(t.Context(), second)); err != nil {
			t.Fatal(err)
		}
		if err := guard.Write(t.Context(), first, set); !errors.Is(err, fencing.ErrStale) {
			t.Errorf("after the claim: %v, want %v", err, fencing.ErrStale)
		}
	})
}

// TestSQLKeyOfMany has a key that is not that of one row: nothing is written.
func TestSQLKeyOfMany(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		names := sqlguard.Names{Table: b.things(t), Key: "kind"}
		b.do(t, must(sqlguard.RowSchema(b.dialect, names))(t)...)
		b.do(t, "ALTER TABLE "+b.quote(names.Table)+" ADD COLUMN kind bigint DEFAULT 1")
		guard := must(sqlguard.NewRow(b.database(sql.LevelDefault), names, 1))(t)
		var tokens fencingtest.Tokens
		if err := guard.Write(t.Context(), tokens.Next(), sqlguard.To("value = 'both'")); err == nil {
			t.Error("two rows were written")
		}
		var both int
		if err := b.direct.QueryRow("SELECT count(*) FROM " + b.quote(names.Table) + " WHERE value = 'both'").Scan(&both); err != nil || both != 0 {
			t.Errorf("%d rows were written, %v", both, err)
		}
	})
}
