package guards_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"lockside/fencing/fencingtest"
	"lockside/fencing/lab/servers"
	"lockside/fencing/sqlguard"
)

// A base is a database under test.
type base struct {
	dialect sqlguard.Dialect
	direct  *sql.DB                         // past all guards
	guarded *sql.DB                         // through the wire, where there is one
	wire    *fencingtest.Wire               // nil for SQLite
	commit  string                          // what a client sends to commit
	restart func(ctx context.Context) error // the server, as kill -9 does
	address string                          // the server's
	source  string                          // SQLite's
	made    atomic.Int64                    // tables
}

// engines start the databases.
func engines() map[string]func(t *testing.T) *base {
	return map[string]func(t *testing.T) *base{"Postgres": openPostgres, "MariaDB": openMariaDB, "SQLite": openSQLite}
}

// forEach runs a test on each database.
func forEach(t *testing.T, test func(t *testing.T, b *base)) {
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// place is a directory that a server of another user can be in.
func place(t *testing.T) string {
	dir, err := os.MkdirTemp("", "guards") // short enough for the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

func openPostgres(t *testing.T) *base {
	programs := servers.Programs{}.Find()
	if programs.Postgres == "" {
		t.Skip("there is no postgres; apt-get install postgresql")
	}
	initdb, err := programs.Initdb()
	if err != nil {
		t.Fatal(err)
	}
	server, err := servers.StartPostgres(t.Context(), place(t), programs.Postgres, initdb)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	at := func(address string) string { return fmt.Sprintf("postgres://lab@%s/postgres?sslmode=disable", address) }
	b := &base{dialect: sqlguard.PostgreSQL, commit: "commit", restart: func(ctx context.Context) error {
		server.Kill(0)
		return server.Restart(ctx, 0)
	}}
	b.connect(t, "pgx", server.Address, at)
	return b
}

func openMariaDB(t *testing.T) *base { return mariadb(t, "") }

// mariadb is a server whose guards' connections have settings.
func mariadb(t *testing.T, settings string) *base {
	programs := servers.Programs{}.Find()
	if programs.MariaDB == "" {
		t.Skip("there is no mariadbd; apt-get install mariadb-server")
	}
	install, err := programs.InstallMariaDB()
	if err != nil {
		t.Fatal(err)
	}
	server, err := servers.StartMariaDB(t.Context(), place(t), programs.MariaDB, install)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	at := func(address string) string { return fmt.Sprintf("lab@tcp(%s)/lab?%s", address, settings) }
	b := &base{dialect: sqlguard.MariaDB, commit: "COMMIT", restart: func(ctx context.Context) error {
		server.Kill(0)
		return server.Restart(ctx, 0)
	}}
	b.connect(t, "mysql", server.Address, at)
	return b
}

// connect connects to a server, and by a wire.
func (b *base) connect(t *testing.T, driver, address string, at func(address string) string) {
	var err error
	if b.wire, err = fencingtest.NewWire(address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.wire.Close() }) // the server has closed what it passes
	b.address = address
	b.direct, b.guarded = open(t, driver, at(address)), open(t, driver, at(b.wire.Address()))
	kill := b.restart
	b.restart = func(ctx context.Context) error {
		err := kill(ctx)
		b.reopen()
		return err
	}
}

// reopen closes the connections that nobody uses, for the next ones to be new.
func (b *base) reopen() {
	for _, db := range []*sql.DB{b.direct, b.guarded} {
		db.SetMaxIdleConns(-1)
		db.SetMaxIdleConns(16)
	}
}

func openSQLite(t *testing.T) *base { return sqlite(t, "_pragma=journal_mode(WAL)") }

// sqlite is a file, which the last connection closes.
func sqlite(t *testing.T, settings string) *base {
	source := "file:" + filepath.Join(t.TempDir(), "data.db") + "?_pragma=busy_timeout(60000)&" + settings
	b := &base{dialect: sqlguard.SQLite, source: source}
	b.direct, b.guarded = open(t, "sqlite", source), open(t, "sqlite", source)
	b.restart = func(context.Context) error {
		b.reopen()
		return nil
	}
	return b
}

func open(t *testing.T, driver, source string) *sql.DB {
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxIdleConns(16)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// table is the name of a new one, which wants to be quoted well.
func (b *base) table(kind string) string {
	return fmt.Sprintf(`%s "it`+"`"+`s" %d`, kind, b.made.Add(1))
}

// do executes statements past all guards.
func (b *base) do(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := b.direct.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%v\n%s", err, statement)
		}
	}
}

// quote quotes a name for the tests' own statements.
func (b *base) quote(name string) string {
	quote := `"`
	if b.dialect == sqlguard.MariaDB {
		quote = "`"
	}
	return quote + strings.ReplaceAll(name, quote, quote+quote) + quote
}

// arg is the first placeholder.
func (b *base) arg() string {
	if b.dialect == sqlguard.PostgreSQL {
		return "$1"
	}
	return "?"
}

// lose loses the reply to a COMMIT.
func (b *base) lose() func(context.Context, func(context.Context) error) error {
	if b.wire == nil {
		return nil
	}
	return func(ctx context.Context, call func(context.Context) error) error {
		return b.wire.Lose(ctx, b.commit, call)
	}
}
