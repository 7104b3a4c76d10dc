package sqlguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// A Database is where the resource is, and how it is spoken to.
type Database struct {
	DB      *sql.DB
	Dialect Dialect

	// Isolation is that of all transactions. The zero is the database's default.
	// Every level will do; see the package's comment.
	Isolation sql.IsolationLevel
}

func (db Database) check() error {
	if db.DB == nil {
		return errors.New("a guard needs a database")
	}
	return db.Dialect.check()
}

// A Work is what a write does, in the transaction that checks its token. It
// returns the error of each of its statements, and neither commits nor rolls
// back. Statements that commit by themselves, as CREATE TABLE does in MariaDB,
// end the fence with the transaction.
type Work func(ctx context.Context, tx *sql.Tx) error

// A beginner is a connection, or all of them.
type beginner interface {
	BeginTx(ctx context.Context, options *sql.TxOptions) (*sql.Tx, error)
}

// transact does work in one transaction, and undoes it if it fails.
func (db Database) transact(ctx context.Context, on beginner, work func(tx *sql.Tx) error) error {
	tx, err := on.BeginTx(ctx, &sql.TxOptions{Isolation: db.Isolation})
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if err := work(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
