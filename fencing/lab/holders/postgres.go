package holders

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// PostgresSchema is the table of locks, and where their fences come from.
const PostgresSchema = `
	create sequence fences;
	create table locks (
		name    text primary key,
		fence   bigint,
		owner   text not null,
		expires timestamptz not null
	)`

const (
	// naive draws the number as it builds the row, and may wait for the row of
	// another transaction after that.
	naive = `
		insert into locks (name, fence, owner, expires)
		values ($1, nextval('fences'), $2, clock_timestamp() + $3)
		on conflict (name) do update
		set fence = excluded.fence, owner = excluded.owner, expires = clock_timestamp() + $3
		where locks.expires < clock_timestamp()
		returning fence`

	// take and number are one transaction: the number is drawn once the row is ours.
	take = `
		insert into locks (name, owner, expires) values ($1, $2, clock_timestamp() + $3)
		on conflict (name) do update set owner = excluded.owner, expires = clock_timestamp() + $3
		where locks.expires < clock_timestamp()`
	number = `update locks set fence = nextval('fences') where name = $1 and owner = $2 returning fence`

	extend = `update locks set expires = clock_timestamp() + $3 where name = $1 and owner = $2`
	free   = `delete from locks where name = $1 and owner = $2`
)

// postgresHolder has a row with an owner that nobody else is.
type postgresHolder struct {
	pool  *pgxpool.Pool
	ttl   time.Duration
	try   func(ctx context.Context) (fence int64, err error)
	name  string
	owner string
	*kept
}

func openPostgres(ctx context.Context, c Config) (Holder, error) {
	pool, err := pgxpool.New(ctx, fmt.Sprintf("postgres://lab@%s/postgres?sslmode=disable&connect_timeout=2", c.Addresses[0]))
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	h := &postgresHolder{pool: pool, ttl: c.TTL}
	h.try = h.inOrder
	if c.Kind == PostgresNaive {
		h.try = h.naive
	}
	return h, nil
}

func (h *postgresHolder) Acquire(ctx context.Context, name string) (fence int64, err error) {
	var asked time.Time
	h.name = name
	err = poll(ctx, func(ctx context.Context) (bool, error) {
		asked, h.owner = time.Now(), rand.Text()
		fence, err = h.try(ctx)
		return err == nil, err
	})
	if err == nil {
		h.kept = keep(h.ttl, asked, h.renew)
	}
	return fence, err
}

// naive returns [pgx.ErrNoRows] when somebody else has the name, and so does
// inOrder.
func (h *postgresHolder) naive(ctx context.Context) (fence int64, err error) {
	return fence, h.pool.QueryRow(ctx, naive, h.name, h.owner, h.ttl).Scan(&fence)
}

func (h *postgresHolder) inOrder(ctx context.Context) (fence int64, err error) {
	return fence, pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, take, h.name, h.owner, h.ttl)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return pgx.ErrNoRows
		}
		return tx.QueryRow(ctx, number, h.name, h.owner).Scan(&fence)
	})
}

func (h *postgresHolder) renew(ctx context.Context) (bool, error) {
	tag, err := h.pool.Exec(ctx, extend, h.name, h.owner, h.ttl)
	return tag.RowsAffected() == 1, err
}

func (h *postgresHolder) Release(ctx context.Context) error {
	h.stop()
	tag, err := h.pool.Exec(ctx, free, h.name, h.owner)
	if err == nil && tag.RowsAffected() != 1 {
		err = errGone
	}
	return err
}

func (h *postgresHolder) Close() error {
	h.stop()
	h.pool.Close()
	return nil
}
