package servers

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// StartReplica serves a copy of a database which follows what it was copied from,
// asynchronously, by the address: that of the primary, or of what leads there.
func StartReplica(ctx context.Context, parent, server, primary string) (*Postgres, error) {
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	dir, err := subdir(parent, "postgres-replica")
	if err != nil {
		return nil, err
	}
	credential, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := own(dir, credential); err != nil {
		return nil, err
	}
	primaryHost, port, err := net.SplitHostPort(primary)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(server)
	if err != nil {
		return nil, fmt.Errorf("find pg_basebackup: %w", err)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(real), "pg_basebackup"),
		"-D", "data", "-h", primaryHost, "-p", port, "-U", "lab", "-R", "-X", "stream", "-c", "fast")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: credential}
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("copy a Postgres database: %w\n%s", err, out)
	}
	return servePostgres(ctx, dir, server, ports[0], credential, nil)
}

// own gives a directory to whom Postgres runs as.
func own(dir string, credential *syscall.Credential) error {
	if credential == nil {
		return nil
	}
	if err := os.Chown(dir, int(credential.Uid), int(credential.Gid)); err != nil {
		return fmt.Errorf("give a directory to Postgres: %w", err)
	}
	return nil
}
