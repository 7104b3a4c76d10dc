package sqlguard_test

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"lockside/fencing"
	"lockside/fencing/sqlguard"
)

// A job claims its lock's row of a fence table, reads, and writes what it has
// computed, in as many tables as it likes.
func ExampleTable() {
	pool, err := sql.Open("pgx", "postgres://app@db/app")
	if err != nil {
		log.Fatal(err)
	}
	guard, err := sqlguard.NewTable(sqlguard.Database{DB: pool, Dialect: sqlguard.PostgreSQL}, sqlguard.Names{}, "nightly")
	if err != nil {
		log.Fatal(err)
	}
	token, err := fencing.FromEnv() // under lockside run nightly
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if err := guard.Claim(ctx, token); err != nil {
		log.Fatal(err)
	}
	var total int64
	if err := pool.QueryRowContext(ctx, "SELECT sum(amount) FROM payments").Scan(&total); err != nil {
		log.Fatal(err)
	}
	err = guard.Write(ctx, token, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO reports (total) VALUES ($1)", total)
		return err
	})
	if errors.Is(err, fencing.ErrStale) {
		log.Fatal("somebody else has the lock: ", err)
	}
}

// A row of accounts has a fence and a cluster of its own.
func ExampleRow() {
	var pool *sql.DB // opened with the driver of MariaDB
	var token fencing.Token
	accounts := sqlguard.Names{Table: "accounts"}
	guard, err := sqlguard.NewRow(sqlguard.Database{DB: pool, Dialect: sqlguard.MariaDB}, accounts, 7)
	if err != nil {
		log.Fatal(err)
	}
	err = guard.WriteOnce(context.Background(), token, sqlguard.To("balance = balance - ?", 100))
	if errors.Is(err, fencing.ErrSpent) {
		log.Print("it was done before")
	}
}

// Code that knows nothing of fences works in a session that has told its token, and
// its caller asks what an error means.
func ExampleRefusal() {
	var token fencing.Token
	unchanged := func() error { return nil }
	err := sqlguard.Refusal(unchanged(), token)
	if stale, ok := errors.AsType[*fencing.StaleError](err); ok {
		log.Fatal("the lock has gone to the holder of ", stale.Highest)
	}
}
