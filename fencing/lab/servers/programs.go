package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Programs are paths of what servers are started from. An empty one is looked
// for, or built.
type Programs struct {
	Etcd      string
	Locksided string
	Redis     string
	Postgres  string // with initdb beside it, links followed
	MariaDB   string // the server; mariadb-install-db is looked for
	Java      string
	ZooKeeper string // class path
	Faketime  string // libfaketime's library, for programs with threads
}

// zooKeeperJar is where Debian has ZooKeeper.
const zooKeeperJar = "/usr/share/java/zookeeper.jar"

// Find returns the programs with every path filled in that this host has.
func (p Programs) Find() Programs {
	p.Redis = found(p.Redis, "redis-server")
	p.Postgres = found(p.Postgres, "postgres")
	if p.Postgres == "" {
		// Debian keeps it off the PATH, since there may be several.
		if all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres"); len(all) > 0 {
			p.Postgres = slices.Max(all)
		}
	}
	p.MariaDB = found(found(p.MariaDB, "mariadbd"), "/usr/sbin/mariadbd") // which is not on each user's PATH
	p.Java = found(p.Java, "java")
	if _, err := os.Stat(zooKeeperJar); err == nil && p.ZooKeeper == "" {
		p.ZooKeeper = zooKeeperJar
	}
	if all, _ := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1"); len(all) > 0 && p.Faketime == "" {
		p.Faketime = all[0]
	}
	return p
}

func found(path, name string) string {
	if path != "" {
		return path
	}
	path, _ = exec.LookPath(name) // "" when there is none
	return path
}

// Initdb is the program that comes with Postgres' server.
func (p Programs) Initdb() (string, error) {
	real, err := filepath.EvalSymlinks(p.Postgres)
	if err != nil {
		return "", fmt.Errorf("find initdb: %w", err)
	}
	return filepath.Join(filepath.Dir(real), "initdb"), nil
}

// InstallMariaDB is the program that comes with MariaDB's server.
func (p Programs) InstallMariaDB() (string, error) {
	path, err := exec.LookPath("mariadb-install-db")
	if err != nil {
		return "", fmt.Errorf("find what makes a MariaDB database: %w", err)
	}
	return path, nil
}

// Build makes etcd and locksided where no path is given: etcd from its module,
// in the version of this module's go.mod; locksided from the module above, as
// it stands.
func (p Programs) Build(ctx context.Context, dir string) (Programs, error) {
	return p.build(ctx, dir)
}

// build passes further arguments to go build.
func (p Programs) build(ctx context.Context, dir string, arguments ...string) (Programs, error) {
	if p.Etcd == "" {
		p.Etcd = filepath.Join(dir, "etcd")
		if _, err := gotool(ctx, slices.Concat([]string{"build"}, arguments, []string{"-o", p.Etcd, "go.etcd.io/etcd/server/v3"})...); err != nil {
			return p, err
		}
	}
	if p.Locksided == "" {
		p.Locksided = filepath.Join(dir, "locksided")
		product, err := gotool(ctx, "list", "-m", "-f", "{{.Dir}}", "lockside")
		if err != nil {
			return p, err
		}
		if _, err := gotool(ctx, slices.Concat([]string{"build", "-C", product}, arguments, []string{"-o", p.Locksided, "./cmd/locksided"})...); err != nil {
			return p, err
		}
	}
	return p, nil
}

// gotool runs go within this module and returns what it prints.
func gotool(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s, in the directory fencing/lab: %w\n%s", strings.Join(args[:1], " "), err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}

// Version is the first line that a program prints when asked for its version.
func Version(ctx context.Context, path string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ask for a version: %w", err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line), nil
}
