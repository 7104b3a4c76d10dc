package sqlguard

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"lockside/fencing"
)

// A query is a statement as it is put together.
type query struct {
	d     Dialect
	parts []string
	args  []any
}

// newQuery begins a statement, whose first arguments are those of others.
func newQuery(d Dialect, args ...any) *query { return &query{d: d, args: slices.Clone(args)} }

func (q *query) write(parts ...string) { q.parts = append(q.parts, parts...) }

// arg is the placeholder of one more argument.
func (q *query) arg(value any) string {
	q.args = append(q.args, value)
	if q.d == PostgreSQL {
		return fmt.Sprintf("$%d", len(q.args))
	}
	return "?"
}

func (q *query) text() string { return strings.Join(q.parts, "") }

// set is the assignments that raise a watermark.
func (q *query) set(n Names, t fencing.Token) {
	q.write(n.Fence, " = ", q.arg(t.Fence), ", ", n.Cluster, " = ", q.arg(t.Cluster.String()))
}

// admits is the condition under which a row's watermark admits the token whose
// fence and cluster two expressions are. It is that of [fencing.Watermark].
func admits(fence, cluster, tokenFence, tokenCluster string, once bool) string {
	than := " <= "
	if once {
		than = " < "
	}
	return "(" + fence + than + tokenFence + " AND " + cluster + " = " + tokenCluster +
		" OR " + fence + " = 0 AND " + cluster + " = '')"
}

// exec executes the statement, and counts the rows.
func (q query) exec(ctx context.Context, tx *sql.Tx) (int64, error) {
	result, err := tx.ExecContext(ctx, q.text(), q.args...)
	if err != nil {
		return 0, fmt.Errorf("raise the watermark: %w", err)
	}
	rows, err := result.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("count the rows whose watermark was raised: %w", err)
	}
	return rows, nil
}
