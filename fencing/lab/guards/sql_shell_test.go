package guards_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockside/fencing"
	"lockside/fencing/lab/servers"
	"lockside/fencing/sqlguard"
)

// TestSQLFromAShell has psql and mariadb, as commands under lockside run, tell their
// tokens as the manual says, and write to a table with triggers.
func TestSQLFromAShell(t *testing.T) {
	t.Run("Postgres", func(t *testing.T) {
		initdb, err := servers.Programs{}.Find().Initdb()
		if err != nil {
			t.Skip("there is no postgres; apt-get install postgresql")
		}
		b := openPostgres(t)
		fromShell(t, b, filepath.Join(filepath.Dir(initdb), "psql")+` "postgres://lab@$ADDRESS/postgres" -v VERBOSITY=verbose -c "$STATEMENT"`,
			`PGOPTIONS="-c lockside.fence=$LOCKSIDE_FENCE -c lockside.cluster=$LOCKSIDE_CLUSTER" `)
	})
	t.Run("MariaDB", func(t *testing.T) {
		if _, err := exec.LookPath("mariadb"); err != nil {
			t.Skip("there is no mariadb; apt-get install mariadb-server")
		}
		b := openMariaDB(t)
		fromShell(t, b, `mariadb --no-defaults --protocol=tcp -h ${ADDRESS%:*} -P ${ADDRESS#*:} -u lab -e "$STATEMENT" `,
			`--init-command="SET @lockside_fence = '$LOCKSIDE_FENCE', @lockside_cluster = '$LOCKSIDE_CLUSTER'" lab`)
	})
}

// fromShell runs a client with and without a text that tells the token: before it
// where that is a variable, else behind it.
func fromShell(t *testing.T, b *base, client, tell string) {
	guard, table := b.triggered(t)
	with, without := client+tell, client+"lab"
	if strings.HasPrefix(tell, "PG") {
		with, without = tell+client, client
	}
	run := func(script string, fence int64) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
		cmd.Env = append(os.Environ(), "ADDRESS="+b.address, "STATEMENT=UPDATE "+b.quote(table)+" SET value = 'shell' WHERE id = 7",
			fmt.Sprintf("LOCKSIDE_FENCE=%d", fence), "LOCKSIDE_CLUSTER=a1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(without, 8123); err == nil || !strings.Contains(out, "LF000") {
		t.Errorf("without a token: %v, %s", err, out)
	}
	if out, err := run(with, 8123); err != nil {
		t.Errorf("with its token: %v, %s", err, out)
	}
	if err := guard.Claim(t.Context(), fencing.Token{Cluster: 0xa1, Fence: 10001}); err != nil {
		t.Fatal(err)
	}
	if out, err := run(with, 8123); err == nil || !strings.Contains(out, "LF001") || !strings.Contains(out, "10001@a1") {
		t.Errorf("after another's claim: %v, %s", err, out)
	}
}

// asHelper is set in the environment of a test that is run as another process.
const asHelper = "LOCKSIDE_TEST_SQLITE"

// TestSQLiteWriterKilled kills a process between the fence and the commit: nothing
// is left of either, and nobody waits for it.
func TestSQLiteWriterKilled(t *testing.T) {
	if source := os.Getenv(asHelper); source != "" {
		writeHalf(t, source)
		return
	}
	b := openSQLite(t)
	names, table := sqlguard.Names{Table: "fences"}, b.things(t)
	b.do(t, must(sqlguard.TableSchema(b.dialect, names))(t))
	helper := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSQLiteWriterKilled$")
	told, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()
	helper.ExtraFiles = []*os.File{tell}
	helper.Env = append(os.Environ(), asHelper+"="+b.source, asHelper+"_TABLE="+table)
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tell.Close() // ours; the helper has its own
	if n, err := told.Read(make([]byte, 1)); n != 1 {
		t.Errorf("the helper did not write: %v", err)
	}
	if err := helper.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = helper.Wait() // it was killed
	guard := must(sqlguard.NewTable(b.database(sql.LevelDefault), names, "nightly"))(t)
	if err := guard.WriteOnce(t.Context(), fencing.Token{Fence: 8}, b.update(table, "whole")); err != nil {
		t.Errorf("after a writer with a greater token was killed: %v", err)
	}
	var value string
	if err := b.direct.QueryRow("SELECT value FROM " + b.quote(table) + " WHERE id = 7").Scan(&value); err != nil || value != "whole" {
		t.Errorf("the value is %q, %v", value, err)
	}
}

// writeHalf is the helper: it writes, says so, and waits to be killed.
func writeHalf(t *testing.T, source string) {
	b := &base{dialect: sqlguard.SQLite, guarded: open(t, "sqlite", source)}
	guard := must(sqlguard.NewTable(b.database(sql.LevelDefault), sqlguard.Names{Table: "fences"}, "nightly"))(t)
	err := guard.Write(t.Context(), fencing.Token{Fence: 9}, func(ctx context.Context, tx *sql.Tx) error {
		if err := b.update(os.Getenv(asHelper+"_TABLE"), "half")(ctx, tx); err != nil {
			return err
		}
		if _, err := os.NewFile(3, "told").Write([]byte{1}); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
	t.Errorf("the helper was not killed: %v", err)
}
