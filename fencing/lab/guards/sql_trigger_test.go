package guards_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/sqlguard"
)

// triggered makes a table with triggers, and its guard.
func (b *base) triggered(t *testing.T) (*sqlguard.Trigger, string) {
	names, table := sqlguard.Names{Table: b.table("Fences")}, b.things(t)
	b.do(t, must(sqlguard.TableSchema(b.dialect, names))(t), must(sqlguard.CheckSchema(b.dialect, names))(t))
	b.do(t, must(sqlguard.TriggerSchema(b.dialect, names, table, "nightly"))(t)...)
	return must(sqlguard.NewTrigger(b.database(sql.LevelDefault), names, "nightly"))(t), table
}

// TestSQLTriggerWithoutToken has sessions write that have told no token: on new
// connections, and on those on which guards have done a write, or failed to.
func TestSQLTriggerWithoutToken(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		guard, table := b.triggered(t)
		b.guarded.SetMaxOpenConns(1)
		statements := []string{
			"INSERT INTO " + b.quote(table) + " VALUES (10, 'new')",
			"UPDATE " + b.quote(table) + " SET value = 'new'",
			"DELETE FROM " + b.quote(table),
		}
		if b.dialect == sqlguard.PostgreSQL {
			statements = append(statements, "TRUNCATE "+b.quote(table))
		}
		var tokens fencingtest.Tokens
		refusedWithout := func(t *testing.T) {
			t.Helper()
			for _, statement := range statements {
				_, err := b.guarded.ExecContext(t.Context(), statement)
				if err := sqlguard.Refusal(err, tokens.Next()); !errors.Is(err, fencing.ErrToken) {
					t.Errorf("%s: %v, want %v", statement, err, fencing.ErrToken)
				}
			}
		}
		refusedWithout(t)
		token := tokens.Next()
		if err := guard.Write(t.Context(), token, b.update(table, "guarded")); err != nil {
			t.Fatal(err)
		}
		refusedWithout(t)
		if err := guard.Write(t.Context(), token, func(context.Context, *sql.Tx) error { return errHalf }); !errors.Is(err, errHalf) {
			t.Error(err)
		}
		refusedWithout(t)
		ctx, cancel := context.WithCancel(t.Context())
		if err := guard.Write(ctx, token, func(context.Context, *sql.Tx) error { cancel(); return nil }); err == nil {
			t.Error("a write whose context has ended was done")
		}
		refusedWithout(t)
	})
}

// TestSQLTriggerBySession has code that cannot be changed, and a session that was
// told the token before, as PGOPTIONS and --init-command do.
func TestSQLTriggerBySession(t *testing.T) {
	for name, tell := range map[string]string{
		"Postgres": "SELECT set_config('lockside.fence', '8123', false), set_config('lockside.cluster', 'a1', false)",
		"MariaDB":  "SET @lockside_fence = 8123, @lockside_cluster = 'a1'",
	} {
		t.Run(name, func(t *testing.T) {
			b := engines()[name](t)
			guard, table := b.triggered(t)
			session, err := b.direct.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if _, err := session.ExecContext(t.Context(), tell); err != nil {
				t.Fatal(err)
			}
			write := func() error {
				_, err := session.ExecContext(t.Context(), "UPDATE "+b.quote(table)+" SET value = 'unchanged' WHERE id = 7")
				return err
			}
			if err := write(); err != nil {
				t.Errorf("with the token: %v", err)
			}
			own, next := fencing.Token{Cluster: 0xa1, Fence: 8123}, fencing.Token{Cluster: 0xa1, Fence: 10001}
			if err := guard.Claim(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			refusal, ok := errors.AsType[*fencing.StaleError](sqlguard.Refusal(write(), own))
			if !ok || refusal.Token != own || refusal.Highest != next {
				t.Errorf("after the claim: %+v", refusal)
			}
			other := fencing.Token{Fence: 20000}
			if err := sqlguard.Refusal(write(), other); !errors.Is(err, fencing.ErrCluster) {
				t.Errorf("as of another cluster: %v", err)
			}
		})
	}
}

// TestSQLiteTriggersSeeNoSession holds what the package says does not help.
func TestSQLiteTriggersSeeNoSession(t *testing.T) {
	b := openSQLite(t)
	table := b.things(t)
	session, err := b.direct.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	do := func(conn interface {
		ExecContext(context.Context, string, ...any) (sql.Result, error)
	}, statement string) error {
		_, err := conn.ExecContext(t.Context(), statement)
		return err
	}
	update := "UPDATE " + b.quote(table) + " SET value = 'new'"
	if err := errors.Join(do(session, "CREATE TEMP TABLE told (fence integer)"),
		do(session, "CREATE TRIGGER sees BEFORE UPDATE ON "+b.quote(table)+" BEGIN SELECT fence FROM told; END")); err != nil {
		t.Fatal(err)
	}
	if err := do(session, update); err == nil {
		t.Error("a trigger sees a temporary table")
	}
	if err := errors.Join(do(session, "DROP TRIGGER sees"),
		do(session, "CREATE TEMP TRIGGER sees BEFORE UPDATE ON "+b.quote(table)+" BEGIN SELECT RAISE(ABORT, 'none') WHERE NOT EXISTS (SELECT 1 FROM told); END")); err != nil {
		t.Fatal(err)
	}
	if err := do(session, update); err == nil {
		t.Error("a temporary trigger refuses nothing")
	}
	if err := do(b.guarded, update); err != nil {
		t.Errorf("a temporary trigger is there in another session: %v", err)
	}
}
