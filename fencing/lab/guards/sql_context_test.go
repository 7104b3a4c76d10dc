package guards_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/sqlguard"
)

// TestSQLContext has calls wait for a row that somebody else has locked: they end
// with their context, do nothing, and refuse nobody.
func TestSQLContext(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		names, table := sqlguard.Names{Table: b.table("Fences")}, b.things(t)
		b.do(t, must(sqlguard.TableSchema(b.dialect, names))(t))
		guard := must(sqlguard.NewTable(b.database(sql.LevelDefault), names, "nightly"))(t)
		var tokens fencingtest.Tokens
		token := tokens.Next()
		if err := guard.Write(t.Context(), token, b.update(table, "before")); err != nil {
			t.Fatal(err)
		}
		err := guard.Write(t.Context(), token, func(ctx context.Context, tx *sql.Tx) error {
			ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
			defer cancel()
			other := tokens.Next()
			for _, err := range []error{guard.Claim(ctx, other), guard.Write(ctx, other, b.update(table, "other"))} {
				if err == nil || isRefusal(err) {
					t.Errorf("a call that had to wait: %v", err)
				}
			}
			return b.update(table, "held")(t.Context(), tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		var value string
		if err := b.direct.QueryRow("SELECT value FROM " + b.quote(table) + " WHERE id = 7").Scan(&value); err != nil || value != "held" {
			t.Errorf("the value is %q, %v", value, err)
		}
		if err := guard.Write(t.Context(), token, b.update(table, "after")); err != nil {
			t.Errorf("once nobody waits: %v", err)
		}
	})
}

func isRefusal(err error) bool {
	return errors.Is(err, fencing.ErrStale) || errors.Is(err, fencing.ErrSpent) || errors.Is(err, fencing.ErrCluster) ||
		errors.Is(err, fencing.ErrToken) || errors.Is(err, fencing.ErrUnknown)
}
