package sqlguard

import (
	"context"
	"database/sql"

	"lockside/fencing"
)

// A Set is the assignments of an UPDATE, in SQL, with their arguments. The
// placeholders are the driver's: $1, $2 and so on in PostgreSQL, else question
// marks. The text goes into the statement as it is: what users have typed belongs
// into the arguments.
type Set struct {
	SQL  string // "balance = balance - $1, changed = now()"
	Args []any
}

// To is a Set.
func To(assignments string, args ...any) Set { return Set{SQL: assignments, Args: args} }

// A Row guards one row that carries its own watermark. It is for use by several
// goroutines.
type Row struct{ mark mark }

// NewRow guards the row of a table whose key is a value, of whatever type its
// column has. The error is for names that are none. [RowSchema] adds the columns.
func NewRow(db Database, names Names, key any) (*Row, error) {
	quoted, err := names.quoted(db.Dialect)
	if err != nil {
		return nil, err
	}
	return &Row{mark{db, quoted, key}}, db.check()
}

// Claim raises the row's watermark to the token.
func (r *Row) Claim(ctx context.Context, t fencing.Token) error {
	return r.update(ctx, t, Set{}, false)
}

// Write updates the row if the token is no lower than its watermark.
func (r *Row) Write(ctx context.Context, t fencing.Token, w Set) error {
	return r.update(ctx, t, w, false)
}

// WriteOnce updates the row if the token is greater than its watermark.
func (r *Row) WriteOnce(ctx context.Context, t fencing.Token, w Set) error {
	return r.update(ctx, t, w, true)
}

func (r *Row) update(ctx context.Context, t fencing.Token, w Set, once bool) error {
	if err := t.Check(); err != nil {
		return err
	}
	up := func(t fencing.Token, once bool) query { return r.mark.assign(t, w, once) }
	return r.mark.transact(ctx, r.mark.DB, func(tx *sql.Tx) error {
		return r.mark.admit(ctx, tx, t, once, up)
	})
}

// assign is the statement that raises a row's watermark and does a write: in
// MariaDB once the row was judged, else if the watermark admits it. Columns that
// are NULL have seen nothing.
//
// Our assignments come last, and on a line of their own: neither a comment nor an
// assignment to the same column gets around them.
func (m mark) assign(t fencing.Token, w Set, once bool) query {
	n := m.names
	q := newQuery(m.Dialect, w.Args...)
	q.write("UPDATE ", n.Table, " SET ")
	if w.SQL != "" {
		q.write(w.SQL, "\n, ")
	}
	q.set(n, t)
	q.write(" WHERE ", n.Key, " = ", q.arg(m.key))
	if m.Dialect != MariaDB {
		fence, cluster := "coalesce("+n.Fence+", 0)", "coalesce("+n.Cluster+", '')"
		q.write(" AND ", admits(fence, cluster, q.arg(t.Fence), q.arg(t.Cluster.String()), once))
	}
	return *q
}
