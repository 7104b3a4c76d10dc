package servers

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// MariaDB is one MariaDB server, with a database lab and a user lab who has no
// password.
type MariaDB struct {
	group
	Address string
}

// mariaDBInit is executed at every start, before connections are accepted.
const mariaDBInit = `CREATE DATABASE IF NOT EXISTS lab;
CREATE USER IF NOT EXISTS lab@'127.0.0.1';
GRANT ALL ON *.* TO lab@'127.0.0.1';
`

// StartMariaDB makes a database below dir and serves it with the server's
// defaults, which sync each commit. It refuses to run as root: for root it runs as
// Postgres does.
func StartMariaDB(ctx context.Context, parent, server, install string) (*MariaDB, error) {
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	dir, err := subdir(parent, "mariadb")
	if err != nil {
		return nil, err
	}
	credential, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := installMariaDB(ctx, dir, install, credential); err != nil {
		return nil, err
	}
	db := &MariaDB{Address: address(ports[0])}
	c := command{name: "mariadb", dir: dir, path: server, user: credential, args: []string{
		"--no-defaults", "--datadir=" + filepath.Join(dir, "data"), "--socket=" + filepath.Join(dir, "socket"), "--pid-file=pid",
		"--bind-address=" + host, "--port=" + strconv.Itoa(ports[0]), "--skip-name-resolve",
		"--init-file=" + filepath.Join(dir, "init.sql"), "--max-connections=1000",
	}}
	db.group, err = startGroup(ctx, []command{c}, func(ctx context.Context, _ int) error {
		return greets(ctx, db.Address)
	})
	if err != nil {
		return nil, err
	}
	return db, nil
}

// installMariaDB makes the system's tables as the user that the server will run as.
func installMariaDB(ctx context.Context, dir, install string, credential *syscall.Credential) error {
	init := filepath.Join(dir, "init.sql")
	if err := os.WriteFile(init, []byte(mariaDBInit), 0o600); err != nil {
		return fmt.Errorf("make a MariaDB database: %w", err)
	}
	for _, path := range []string{dir, init} {
		if credential == nil {
			break
		}
		if err := os.Chown(path, int(credential.Uid), int(credential.Gid)); err != nil {
			return fmt.Errorf("make a MariaDB database: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, install, "--no-defaults", "--datadir="+filepath.Join(dir, "data"),
		"--auth-root-authentication-method=normal", "--skip-test-db")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: credential}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make a MariaDB database: %w\n%s", err, out)
	}
	return nil
}

// greets waits for the first byte that a server sends by itself.
func greets(ctx context.Context, address string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // fails on a closed one
	defer stop()
	_, err = conn.Read(make([]byte, 1))
	return err
}
