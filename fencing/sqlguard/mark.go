package sqlguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"lockside/fencing"
)

// errMoved is for a watermark that was set past the guard as the call went on.
var errMoved = errors.New("the watermark was set past its guard meanwhile: nothing was done, repeat the call")

// A mark is the place of one watermark: a row with a fence and a cluster.
type mark struct {
	Database
	names Names // quoted
	key   any
}

// raise is a statement that raises the watermark, and whether it takes part in
// deciding: if so, it finds no row where the token is refused.
type raise func(t fencing.Token, once bool) query

// admit raises the watermark, or says why not, and holds the row until the
// transaction ends.
//
// In PostgreSQL and SQLite one statement compares and raises. In MariaDB the row
// is locked first: how many rows a statement has changed does not tell there how
// many it has found.
func (m mark) admit(ctx context.Context, tx *sql.Tx, t fencing.Token, once bool, up raise) error {
	if m.Dialect == MariaDB {
		if err := m.judge(ctx, tx, t, once); err != nil {
			return err
		}
		_, err := up(t, once).exec(ctx, tx)
		return err
	}
	found, err := up(t, once).exec(ctx, tx)
	switch {
	case err != nil:
		return err
	case found > 1:
		return m.several(found)
	case found == 1:
		return nil
	}
	if err := m.judge(ctx, tx, t, once); err != nil {
		return err
	}
	return errMoved
}

// judge reads the watermark and says whether it admits a token.
func (m mark) judge(ctx context.Context, tx *sql.Tx, t fencing.Token, once bool) error {
	seen, err := m.look(ctx, tx)
	if err != nil {
		return err
	}
	if once {
		_, err = seen.AdmitOnce(t)
	} else {
		_, err = seen.Admit(t)
	}
	return err
}

// look reads the watermark. Its error is [fencing.ErrUnknown] where there is none.
func (m mark) look(ctx context.Context, tx *sql.Tx) (seen fencing.Watermark, err error) {
	q := m.lookup()
	rows, err := tx.QueryContext(ctx, q.text(), q.args...)
	if err != nil {
		return seen, fmt.Errorf("read the watermark: %w", err)
	}
	defer func() { _ = rows.Close() }() // it has been read, or failed
	found := 0
	for ; rows.Next(); found++ {
		err := rows.Scan(&seen.Highest, &seen.Highest.Cluster)
		if errors.Is(err, fencing.ErrToken) { // not wrapped: it is not the caller's token that is none
			return seen, fmt.Errorf("read the watermark: %v", err)
		}
		if err != nil {
			return seen, fmt.Errorf("read the watermark: %w", err)
		}
	}
	switch {
	case rows.Err() != nil:
		return seen, fmt.Errorf("read the watermark: %w", rows.Err())
	case found == 0:
		return seen, fmt.Errorf("%w: no row of %s has the %s %v", fencing.ErrUnknown, m.names.Table, m.names.Key, m.key)
	case found > 1:
		return seen, m.several(int64(found))
	}
	return seen, nil
}

// several is for a key that is not that of one row.
func (m mark) several(rows int64) error {
	return fmt.Errorf("%d rows of %s have the %s %v: a guard needs a key of one row", rows, m.names.Table, m.names.Key, m.key)
}

// lookup is the statement that reads the watermark. In MariaDB it locks the row.
func (m mark) lookup() query {
	n := m.names
	q := newQuery(m.Dialect)
	q.write("SELECT ", n.Fence, ", ", n.Cluster, " FROM ", n.Table, " WHERE ", n.Key, " = ", q.arg(m.key))
	if m.Dialect == MariaDB {
		q.write(" FOR UPDATE")
	}
	return *q
}
