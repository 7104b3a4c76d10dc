package sqlguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"lockside/fencing"
)

// A Table guards whatever is written in transactions that begin with a look at
// its row of a fence table. It is for use by several goroutines.
type Table struct{ mark mark }

// NewTable guards what goes by a name, which is best the lock's. The row is made
// when it is first claimed. The error is for names that are none. [TableSchema]
// makes the table.
func NewTable(db Database, names Names, name string) (*Table, error) {
	quoted, err := names.fences().quoted(db.Dialect)
	if err != nil {
		return nil, err
	}
	if err := checkFence(name); err != nil {
		return nil, err
	}
	return &Table{mark{db, quoted, name}}, db.check()
}

// Claim raises the watermark to the token, in a transaction of its own.
func (g *Table) Claim(ctx context.Context, t fencing.Token) error {
	return g.write(ctx, t, func(context.Context, *sql.Tx) error { return nil }, false)
}

// Write does the work in a transaction if the token is no lower than the watermark.
func (g *Table) Write(ctx context.Context, t fencing.Token, w Work) error {
	return g.write(ctx, t, w, false)
}

// WriteOnce does the work in a transaction if the token is greater than the watermark.
func (g *Table) WriteOnce(ctx context.Context, t fencing.Token, w Work) error {
	return g.write(ctx, t, w, true)
}

func (g *Table) write(ctx context.Context, t fencing.Token, w Work, once bool) error {
	if err := t.Check(); err != nil {
		return err
	}
	err := g.try(ctx, t, w, once)
	if g.mark.Dialect == MariaDB && errors.Is(err, errNoFence) {
		if err := g.mark.seed(ctx); err != nil {
			return err
		}
		err = g.try(ctx, t, w, once)
	}
	return err
}

// errNoFence is for a row of the fence table that is not there: not an
// [fencing.ErrUnknown] that the work has returned.
var errNoFence = errors.New("the fence table has no such row")

// try is one transaction.
func (g *Table) try(ctx context.Context, t fencing.Token, w Work, once bool) error {
	return g.mark.transact(ctx, g.mark.DB, func(tx *sql.Tx) error {
		if err := g.mark.admit(ctx, tx, t, once, g.mark.upsert); err != nil {
			if errors.Is(err, fencing.ErrUnknown) {
				return fmt.Errorf("%w: %w", errNoFence, err)
			}
			return err
		}
		return w(ctx, tx)
	})
}

// upsert is the statement that raises the watermark of a fence table: in MariaDB
// that of a row which was judged, else of one that is made if need be, if it admits
// the token. In SQLite it has to be the first of its transaction, so that it
// waits for other writers before anything was read.
func (m mark) upsert(t fencing.Token, once bool) query {
	n := m.names
	if m.Dialect == MariaDB {
		return m.assign(t, Set{}, once)
	}
	q := newQuery(m.Dialect)
	q.write("INSERT INTO ", n.Table, " AS f (", n.Key, ", ", n.Fence, ", ", n.Cluster, ")",
		" VALUES (", q.arg(m.key), ", ", q.arg(t.Fence), ", ", q.arg(t.Cluster.String()), ")",
		" ON CONFLICT (", n.Key, ") DO UPDATE SET ",
		n.Fence, " = excluded.", n.Fence, ", ", n.Cluster, " = excluded.", n.Cluster,
		" WHERE ", admits("f."+n.Fence, "f."+n.Cluster, "excluded."+n.Fence, "excluded."+n.Cluster, once))
	return *q
}

// seed makes the row of a fence table that has seen nothing, in a transaction of
// its own. That of the write would hold the gap that the row is missing in, and
// two of them would wait for each other. It is not INSERT IGNORE, which would
// share the lock of a row that is there, and ignore other errors, too.
func (m mark) seed(ctx context.Context) error {
	return m.transact(ctx, m.DB, func(tx *sql.Tx) error {
		q := m.seeding()
		_, err := tx.ExecContext(ctx, q.text(), q.args...)
		if err != nil {
			return fmt.Errorf("make the row of a fence: %w", err)
		}
		return nil
	})
}

func (m mark) seeding() query {
	n := m.names
	q := newQuery(m.Dialect)
	q.write("INSERT INTO ", n.Table, " (", n.Key, ") VALUES (", q.arg(m.key), ")",
		" ON DUPLICATE KEY UPDATE ", n.Key, " = ", n.Key)
	return *q
}
