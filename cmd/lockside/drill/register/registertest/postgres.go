package registertest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// StartPostgres makes a database in dir and starts a PostgreSQL with it, on a Unix
// socket there: the path of dir is to be short. The error is [ErrMissing] where
// the server or psql is not installed.
func StartPostgres(dir string) (*Server, error) {
	if _, err := find("psql"); err != nil {
		return nil, err
	}
	// Debian keeps them out of PATH.
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(installed)
	var servers, makers []string
	for _, bin := range installed {
		servers, makers = append(servers, filepath.Join(bin, "postgres")), append(makers, filepath.Join(bin, "initdb"))
	}
	server, err := find("postgres", servers...)
	if err != nil {
		return nil, err
	}
	initdb, err := find("initdb", makers...)
	if err != nil {
		return nil, err
	}
	as, err := unprivileged(dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	setup := exec.Command(initdb, "-D", data, "-U", "app", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	setup.Dir, setup.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	if out, err := setup.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make a database: %w\n%s", err, out)
	}
	cmd := exec.Command(server, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off")
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	return startServer(cmd, "postgres:///postgres?user=app&host="+url.QueryEscape(dir), func() error {
		text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		if lines := strings.Split(string(text), "\n"); err == nil && (len(lines) < 8 || strings.TrimSpace(lines[7]) != "ready") {
			err = errors.New("it is not ready")
		}
		return err
	})
}

// unprivileged is whom PostgreSQL runs as, since it does not as root, and gives dir
// to that user.
func unprivileged(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("find a user for PostgreSQL: %w", err)
	}
	uid, _ := strconv.Atoi(who.Uid)
	gid, _ := strconv.Atoi(who.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(dir, uid, gid)
}
