package servers

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"time"
)

// Postgres is one Postgres server, with the user and database of initdb.
type Postgres struct {
	group
	URL     string // for clients, who need no password
	Address string
}

// StartPostgres makes a database below dir and serves it with the server's
// defaults, which sync each commit. Postgres refuses to run as root: for root
// it runs as the user postgres, or nobody.
func StartPostgres(ctx context.Context, parent, server, initdb string, options ...Option) (*Postgres, error) {
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	dir, err := subdir(parent, "postgres")
	if err != nil {
		return nil, err
	}
	credential, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := makeDatabase(ctx, dir, initdb, credential); err != nil {
		return nil, err
	}
	return servePostgres(ctx, dir, server, ports[0], credential, options)
}

// servePostgres serves a database that is there.
func servePostgres(ctx context.Context, dir, server string, port int, credential *syscall.Credential, options []Option) (*Postgres, error) {
	pg := &Postgres{Address: address(port), URL: fmt.Sprintf("postgres://lab@%s/postgres?sslmode=disable", address(port))}
	commands := []command{{name: "postgres", dir: dir, path: server, data: "data", user: credential, stop: syscall.SIGINT, args: []string{
		"-D", "data", "-k", dir, "-c", "listen_addresses=" + host, "-c", "port=" + strconv.Itoa(port), "-c", "max_connections=1000",
	}}}
	if err := apply(commands, options); err != nil {
		return nil, err
	}
	var err error
	pg.group, err = startGroup(ctx, commands, func(ctx context.Context, _ int) error {
		return ask(ctx, pg.Address, hello, "R") // authenticated; else it is still starting up
	})
	if err != nil {
		return nil, err
	}
	return pg, nil
}

// makeDatabase runs initdb as the user that the server will run as.
func makeDatabase(ctx context.Context, dir, initdb string, credential *syscall.Credential) error {
	if err := own(dir, credential); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, initdb, "-D", "data", "-U", "lab", "-A", "trust", "-E", "UTF8", "--locale=C")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: credential}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make a Postgres database: %w\n%s", err, out)
	}
	return nil
}

// hello is what a client sends: a start-up message of protocol 3.0, and Terminate.
// See "Message Formats" in Postgres' documentation.
const hello = "\x00\x00\x00\x24\x00\x03\x00\x00user\x00lab\x00database\x00postgres\x00\x00" + "X\x00\x00\x00\x04"

// Kill ends the server as kill -9 does, and waits for its children, who notice by
// themselves and have its port meanwhile.
func (pg *Postgres) Kill(i int) {
	pg.group.Kill(i)
	for range 500 {
		if l, err := net.Listen("tcp", pg.Address); err == nil {
			l.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// unprivileged is who Postgres runs as: nil, which is us, unless we are root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("find a user that Postgres can run as: %w", err)
	}
	uid, err := strconv.ParseUint(who.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("read the number of user %s: %w", who.Username, err)
	}
	gid, err := strconv.ParseUint(who.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("read the group of user %s: %w", who.Username, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
