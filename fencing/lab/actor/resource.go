package actor

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Schema is what the resource is: rows with a value, and the greatest fence that
// each has seen.
const Schema = `create table things (id text primary key, value text not null default '', fence bigint not null default 0)`

const (
	claimRow = `update things set fence = $2 where id = $1 and fence <= $2`
	readRow  = `select value from things where id = $1`
	writeRow = `update things set value = $2 where id = $1`
	fenceRow = `update things set value = $2, fence = $3 where id = $1 and fence <= $3`
)

// errStale is the resource's refusal.
var errStale = errors.New("the resource has seen a greater fence")

// things is the actor's connection to the resource, kept open.
type things struct {
	conn    *pgx.Conn
	id      string
	checked bool
}

func openThings(ctx context.Context, c Config) (*things, error) {
	conn, err := pgx.Connect(ctx, c.Resource)
	if err != nil {
		return nil, fmt.Errorf("connect to the resource: %w", err)
	}
	return &things{conn: conn, id: c.Row, checked: c.Checked}, nil
}

// read claims first: nobody with a lower fence writes from then on.
func (t *things) read(ctx context.Context, fence int64) (value string, err error) {
	if t.checked {
		tag, err := t.conn.Exec(ctx, claimRow, t.id, fence)
		if err := taken(tag.RowsAffected(), err); err != nil {
			return "", err
		}
	}
	return value, t.conn.QueryRow(ctx, readRow, t.id).Scan(&value)
}

func (t *things) write(ctx context.Context, fence int64, value string) error {
	if !t.checked {
		tag, err := t.conn.Exec(ctx, writeRow, t.id, value)
		return taken(tag.RowsAffected(), err)
	}
	tag, err := t.conn.Exec(ctx, fenceRow, t.id, value, fence)
	return taken(tag.RowsAffected(), err)
}

// taken holds that one row was changed. The row is there before the story begins,
// so that none is a refusal.
func taken(rows int64, err error) error {
	if err == nil && rows != 1 {
		err = errStale
	}
	return err
}

func (t *things) close(ctx context.Context) error { return t.conn.Close(ctx) }
