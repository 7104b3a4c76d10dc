package safety

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"lockside/fencing/lab/holders"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/timeline"
	"lockside/fencing/lab/wire"
)

// postgresKind is a table of locks whose fences are drawn in one of two ways.
func postgresKind(form string) kind {
	k := kind{
		System: System{
			Name:      "Postgres, in order",
			About:     "A row for each lock, with when it expires; renewed every third of the TTL. A transaction takes the row, and draws the number once the row is its own.",
			Fence:     "from a sequence, drawn under the row's lock",
			Tolerates: "nothing: one server, replicated asynchronously; a synchronous replica would have the grant",
			Clocks:    "the server's wall clock ends the lock; the client's monotonic one, to know of it",
		},
		fenced: true,
		settings: map[string]string{
			Failover: "A replica follows asynchronously. It is cut off before A asks, and promoted when the primary is dead.",
			Reset:    "The sequence is set back to its start.",
		},
		lacks: lacksPostgres,
		version: func(ctx context.Context, p servers.Programs) (string, error) {
			return servers.Version(ctx, p.Postgres, "--version")
		},
		start: func(ctx context.Context, s *stage) (rig, error) { return startPostgres(ctx, s, form) },
	}
	if form == holders.PostgresNaive {
		k.Name = "Postgres, naive"
		k.About = "The same, by one statement: it inserts a row with the next number, or waits for the row of another transaction, and then puts that number into it."
		k.Fence = "from a sequence, drawn before the wait for the row"
	}
	return k
}

func lacksPostgres(p servers.Programs) string {
	if p.Postgres == "" {
		return "there is no postgres; apt-get install postgresql, or point --postgres at the server's program"
	}
	return ""
}

type postgresRig struct {
	*stage
	form        string
	server      *servers.Postgres
	addresses   [2][]string
	replica     *servers.Postgres
	replication *wire.Link
}

func startPostgres(ctx context.Context, s *stage, form string) (rig, error) {
	initdb, err := s.programs.Initdb()
	if err != nil {
		return nil, err
	}
	server, err := servers.StartPostgres(ctx, s.dir, s.programs.Postgres, initdb, s.clock(s.programs.Faketime)...)
	if err != nil {
		return nil, err
	}
	r := &postgresRig{stage: s, form: form, server: server}
	r.addresses, err = s.linkBoth(server.Address)
	if err == nil {
		err = execute(ctx, server.URL, holders.PostgresSchema)
	}
	if err == nil && s.scenario == Failover {
		err = r.follow(ctx)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// execute runs statements on a connection of their own.
func execute(ctx context.Context, url, statements string, args ...any) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to Postgres: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statements, args...); err != nil {
		return fmt.Errorf("prepare Postgres: %w", err)
	}
	return nil
}

// follow makes a replica, over a link.
func (r *postgresRig) follow(ctx context.Context) (err error) {
	if r.replication, err = wire.New(r.server.Address); err != nil {
		return err
	}
	r.replica, err = servers.StartReplica(ctx, r.dir, r.programs.Postgres, r.replication.Address)
	return err
}

func (r *postgresRig) holder(client int) holders.Config {
	return holders.Config{Kind: r.form, Addresses: r.addresses[client], TTL: r.ttl}
}

func (r *postgresRig) prepare(ctx context.Context) error {
	switch r.scenario {
	case Failover:
		r.replication.Cut()
		r.note(timeline.Note, "replication stands still")
	case LostDisk:
		if err := execute(ctx, r.server.URL, "checkpoint"); err != nil {
			return err
		}
		return r.server.Save(ctx, 0)
	}
	return nil
}

func (r *postgresRig) strike(ctx context.Context) error {
	switch r.scenario {
	case Clock:
		r.note(timeline.Strike, "the server's wall clock jumps an hour ahead")
		return r.server.StepClock(0, ahead)
	case Failover:
		r.server.Kill(0)
		r.note(timeline.Strike, "the primary is killed, its replica promoted")
		if err := execute(ctx, r.replica.URL, "select pg_promote()"); err != nil {
			return err
		}
		r.retarget(0, r.replica.Address)
	case LostDisk:
		return r.forget(ctx, r.server, 0)
	case Reset:
		r.note(timeline.Strike, "the sequence is set back")
		return execute(ctx, r.server.URL, "alter sequence fences restart")
	}
	return nil
}

func (r *postgresRig) close() {
	if r.replica != nil {
		r.replica.Stop()
	}
	if r.replication != nil {
		r.replication.Close()
	}
	r.server.Stop()
}
