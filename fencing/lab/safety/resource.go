package safety

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"lockside/fencing/lab/actor"
	"lockside/fencing/lab/servers"
)

// startResource runs the Postgres server whose rows the locks guard.
func startResource(ctx context.Context, dir string, programs servers.Programs) (*servers.Postgres, error) {
	initdb, err := programs.Initdb()
	if err != nil {
		return nil, err
	}
	server, err := servers.StartPostgres(ctx, dir, programs.Postgres, initdb)
	if err != nil {
		return nil, err
	}
	if err := execute(ctx, server.URL, actor.Schema); err != nil {
		server.Stop()
		return nil, err
	}
	return server, nil
}

func queryValue(ctx context.Context, url, row string) (value string, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", fmt.Errorf("connect to the resource: %w", err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, "select value from things where id = $1", row).Scan(&value); err != nil {
		return "", fmt.Errorf("look at the resource: %w", err)
	}
	return value, nil
}
