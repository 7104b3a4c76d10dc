package guards_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/idempotency"
	"lockside/fencing/sqlguard"
)

// An inbox is a receiver in a database: a fence table, and the statements that the
// documentation of idempotency shows.
type inbox struct {
	*sqlguard.Table
	name           string
	forget, record string
}

// A delivery is an effect that is done in a transaction.
type delivery struct {
	step int64
	work sqlguard.Work
}

func (g *inbox) Write(ctx context.Context, t fencing.Token, d delivery) error {
	return g.Table.Write(ctx, t, g.once(t, d))
}

func (g *inbox) WriteOnce(ctx context.Context, t fencing.Token, d delivery) error {
	return g.Table.WriteOnce(ctx, t, g.once(t, d))
}

// once is an effect that is done unless its step was.
func (g *inbox) once(t fencing.Token, d delivery) sqlguard.Work {
	return func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, g.forget, g.name, t.String()); err != nil {
			return err
		}
		recorded, err := tx.ExecContext(ctx, g.record, g.name, t.String(), d.step)
		if err != nil {
			return err
		}
		if n, err := recorded.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, idempotency.ErrDuplicate)
		}
		return d.work(ctx, tx)
	}
}

// inboxStatements are those of the documentation, in a database's own form.
func inboxStatements(t *testing.T, b *base) (create, forget, record string) {
	t.Helper()
	var code strings.Builder
	for line := range strings.Lines(packageDoc(t, "idempotency")) {
		if text, found := strings.CutPrefix(line, "\t"); found && !strings.HasPrefix(text, "--") {
			code.WriteString(text)
		}
	}
	_, sql, found := strings.Cut(code.String(), "CREATE TABLE steps")
	all := strings.Split("CREATE TABLE steps"+sql, ";\n")
	if !found || len(all) < 3 {
		t.Fatalf("the documentation shows %q", code.String())
	}
	for i, statement := range all {
		if b.dialect == sqlguard.PostgreSQL {
			statement = strings.NewReplacer(":name", "$1", ":token", "$2", ":step", "$3").Replace(statement)
		}
		statement = strings.NewReplacer(":name", "?", ":token", "?", ":step", "?").Replace(statement)
		if b.dialect == sqlguard.MariaDB {
			statement = strings.NewReplacer("INSERT INTO", "INSERT IGNORE INTO", " ON CONFLICT DO NOTHING", "").Replace(statement)
		}
		all[i] = statement
	}
	return all[0], all[1], all[2]
}

// newInbox is one whose effects set a value.
func newInbox(t *testing.T, b *base) *fencingtest.Resource[delivery] {
	create, forget, record := inboxStatements(t, b)
	b.do(t, "DROP TABLE IF EXISTS steps", create)
	works := b.fenceTable(t, sql.LevelDefault)
	holder, err := works.Grant(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	guard := &inbox{holder.Guard.(*sqlguard.Table), "nightly", forget, record}
	var tokens fencingtest.Tokens
	var steps atomic.Int64
	return &fencingtest.Resource[delivery]{
		Grant: func(context.Context) (fencingtest.Holder[delivery], error) {
			return fencingtest.Holder[delivery]{Guard: guard, Token: tokens.Next()}, nil
		},
		Set:       func(value string) delivery { return delivery{steps.Add(1), works.Set(value)} },
		Fail:      func(value string) delivery { return delivery{steps.Add(1), works.Fail(value)} },
		Value:     works.Value,
		Restart:   works.Restart,
		LoseReply: works.LoseReply,
	}
}

func TestInbox(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[delivery] { return newInbox(t, b) })
	})
}

// TestInboxDuplicates has deliveries come twice, one of them as its first reply was
// lost, and holds that steps of earlier grants are forgotten.
func TestInboxDuplicates(t *testing.T) {
	forEach(t, func(t *testing.T, b *base) {
		r := newInbox(t, b)
		for range 3 {
			h, err := r.Grant(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range []struct {
				step  int64
				value string
				want  error
			}{{2, "two", nil}, {1, "one", nil}, {2, "again", idempotency.ErrDuplicate}, {1, "again", idempotency.ErrDuplicate}} {
				d := delivery{one.step, r.Set(one.value).work}
				if err := h.Write(t.Context(), h.Token, d); !errors.Is(err, one.want) {
					t.Errorf("step %d: %v, want %v", one.step, err, one.want)
				}
			}
			lost := delivery{3, r.Set("three").work}
			if r.LoseReply == nil {
				r.LoseReply = func(ctx context.Context, call func(context.Context) error) error { return call(ctx) }
			}
			_ = r.LoseReply(t.Context(), func(ctx context.Context) error { return h.Write(ctx, h.Token, lost) }) // which nobody knows
			if err := h.Write(t.Context(), h.Token, lost); !errors.Is(err, idempotency.ErrDuplicate) {
				t.Errorf("a step whose reply was lost: %v, want %v", err, idempotency.ErrDuplicate)
			}
			if value, err := r.Value(t.Context()); err != nil || value != "three" {
				t.Errorf("the value is %q, %v", value, err)
			}
		}
		var kept int
		if err := b.direct.QueryRowContext(t.Context(), "SELECT count(*) FROM steps").Scan(&kept); err != nil || kept != 3 {
			t.Errorf("%d steps are kept, %v; want 3", kept, err)
		}
	})
}
