package systems

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"lockside/fencing/lab/servers"
)

func postgresKind() Kind {
	return Kind{
		Name:   "Postgres",
		About:  "A table of locks. One round trip deletes the name's row if it has expired and inserts one on conflict do nothing, with a fence from a sequence; the owner deletes it. Each worker has a connection. Who finds it taken tries again after a random pause.",
		Fenced: true, Servers: map[int]int{1: 1}, Start: startPostgres,
		Version: func(ctx context.Context, p servers.Programs) (string, error) {
			return servers.Version(ctx, p.Postgres, "--version")
		},
		lacks: func(p servers.Programs) string {
			if p.Postgres == "" {
				return "there is no postgres; apt-get install postgresql, or point --postgres at the server's program"
			}
			return ""
		},
	}
}

const (
	schema = `
		create sequence fences;
		create table locks (
			name    text primary key,
			fence   bigint not null,
			owner   text not null,
			expires timestamptz not null
		)`
	deleteExpired = `delete from locks where name = $1 and expires < now()`
	insertLock    = `
		insert into locks (name, fence, owner, expires)
		values ($1, nextval('fences'), $2, now() + $3)
		on conflict (name) do nothing
		returning fence`
	deleteLock = `delete from locks where name = $1 and owner = $2`
)

// postgres is a server with the table.
type postgres struct {
	server   *servers.Postgres
	settings Settings
}

func startPostgres(ctx context.Context, s Settings, _ int) (System, error) {
	initdb, err := s.Programs.Initdb()
	if err != nil {
		return nil, err
	}
	server, err := servers.StartPostgres(ctx, s.Dir, s.Programs.Postgres, initdb)
	if err != nil {
		return nil, err
	}
	if err := createTable(ctx, server.URL); err != nil {
		server.Stop()
		return nil, err
	}
	return &postgres{server: server, settings: s}, nil
}

func createTable(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to Postgres: %w", err)
	}
	if _, err := conn.Exec(ctx, schema); err != nil {
		return fmt.Errorf("create the table of locks: %w", err)
	}
	return conn.Close(ctx)
}

func (p *postgres) Open(ctx context.Context, _ Worker) (Locker, error) {
	conn, err := pgx.Connect(ctx, p.server.URL)
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	return &postgresLocker{conn: conn, settings: p.settings}, nil
}

func (p *postgres) Close() error {
	p.server.Stop()
	return nil
}

// postgresLocker holds at most one row, with an owner that nobody else is.
type postgresLocker struct {
	conn     *pgx.Conn
	settings Settings
	name     string
	owner    string
}

func (l *postgresLocker) Acquire(ctx context.Context, name string) (fence int64, err error) {
	l.name, l.owner = name, rand.Text()
	err = l.settings.Pause.poll(ctx, func(ctx context.Context) (bool, error) {
		fence, err = l.try(ctx)
		if errors.Is(err, pgx.ErrNoRows) {
			return false, nil
		}
		return err == nil, err
	})
	return fence, err
}

// try inserts the row, or returns [pgx.ErrNoRows].
func (l *postgresLocker) try(ctx context.Context) (fence int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.settings.TTL)
	defer cancel()
	var batch pgx.Batch
	batch.Queue(deleteExpired, l.name)
	batch.Queue(insertLock, l.name, l.owner, l.settings.TTL).QueryRow(func(row pgx.Row) error {
		return row.Scan(&fence)
	})
	return fence, l.conn.SendBatch(ctx, &batch).Close()
}

func (l *postgresLocker) Release(ctx context.Context) error {
	tag, err := l.conn.Exec(ctx, deleteLock, l.name, l.owner)
	if err == nil && tag.RowsAffected() != 1 {
		err = errLost
	}
	return err
}

func (l *postgresLocker) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return l.conn.Close(ctx)
}
