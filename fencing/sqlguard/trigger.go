package sqlguard

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"lockside/fencing"
)

// A Trigger guards tables that have the triggers of [TriggerSchema], for code that
// writes to them and cannot be changed. It tells the triggers the token, and the
// caller what they refuse. It is for use by several goroutines.
//
// The triggers compare, not the Trigger: what is written to tables that have none
// is not refused.
type Trigger struct {
	mark   mark
	tell   string // tells the session's triggers fence and cluster
	forget string // takes it back; "" where it ends with the transaction
}

// NewTrigger guards what goes by a name in a fence table, whose row TriggerSchema
// makes. The error is for names that are none.
func NewTrigger(db Database, names Names, name string) (*Trigger, error) {
	quoted, err := names.fences().quoted(db.Dialect)
	if err != nil {
		return nil, err
	}
	session, err := names.fences().beside(db.Dialect, "_session")
	if err != nil {
		return nil, err
	}
	if err := checkFence(name); err != nil {
		return nil, err
	}
	g := &Trigger{mark: mark{db, quoted, name}}
	switch db.Dialect {
	case PostgreSQL:
		g.tell = "SELECT set_config('lockside.fence', $1, true), set_config('lockside.cluster', $2, true)"
	case MariaDB:
		g.tell = "SET @lockside_fence = ?, @lockside_cluster = ?"
		g.forget = "SET @lockside_fence = NULL, @lockside_cluster = NULL"
	case SQLite:
		g.tell = "INSERT INTO " + session + " (fence, cluster) VALUES (CAST(? AS INTEGER), ?)"
		g.forget = "DELETE FROM " + session
	}
	return g, db.check()
}

// Claim raises the watermark to the token, in a transaction of its own.
func (g *Trigger) Claim(ctx context.Context, t fencing.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	up := func(t fencing.Token, once bool) query { return g.mark.assign(t, Set{}, once) }
	return g.mark.transact(ctx, g.mark.DB, func(tx *sql.Tx) error {
		return g.mark.admit(ctx, tx, t, false, up)
	})
}

// Write does the work in a transaction whose triggers know the token. The work
// returns the errors of its statements as they are, or wrapped.
func (g *Trigger) Write(ctx context.Context, t fencing.Token, w Work) (err error) {
	if err := t.Check(); err != nil {
		return err
	}
	conn, err := g.mark.DB.Conn(ctx)
	if err != nil {
		return fmt.Errorf("get a connection: %w", err)
	}
	defer func() { err = errors.Join(err, g.release(ctx, conn)) }()
	return g.mark.transact(ctx, conn, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, g.tell, fmt.Sprint(t.Fence), t.Cluster.String()); err != nil {
			return fmt.Errorf("tell the token: %w", err)
		}
		if err := w(ctx, tx); err != nil {
			return g.refused(ctx, tx, t, err)
		}
		if g.mark.Dialect != SQLite {
			return nil
		}
		if _, err := tx.ExecContext(ctx, g.forget); err != nil {
			return fmt.Errorf("take the token back: %w", err)
		}
		return nil
	})
}

// WriteOnce is not to be had: a trigger does not know which statements are of one
// write. It returns [errors.ErrUnsupported], and [fencing.ErrToken] first.
func (g *Trigger) WriteOnce(_ context.Context, t fencing.Token, _ Work) error {
	if err := t.Check(); err != nil {
		return err
	}
	return fmt.Errorf("write once under a trigger: %w", errors.ErrUnsupported)
}

// refused is the work's error. SQLite's triggers cannot tell the greatest token,
// and it is still there to be read.
func (g *Trigger) refused(ctx context.Context, tx *sql.Tx, t fencing.Token, failed error) error {
	err := Refusal(failed, t)
	refusal := errors.Is(err, fencing.ErrStale) || errors.Is(err, fencing.ErrCluster)
	if g.mark.Dialect == SQLite && refusal && failed != err {
		if more := g.mark.judge(ctx, tx, t, false); more != nil {
			return more
		}
	}
	return err
}

// forgetTimeout bounds the wait to take a token back when the context has ended.
const forgetTimeout = 5 * time.Second

// release gives the connection back. In MariaDB it would keep the token, for
// whoever uses it next; so it is closed when that cannot be taken back.
func (g *Trigger) release(ctx context.Context, conn *sql.Conn) error {
	if g.mark.Dialect == MariaDB {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetTimeout)
		defer cancel()
		if _, err := conn.ExecContext(ctx, g.forget); err != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // it is closed by that
			return nil
		}
	}
	if err := conn.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
		return fmt.Errorf("give a connection back: %w", err)
	}
	return nil
}
