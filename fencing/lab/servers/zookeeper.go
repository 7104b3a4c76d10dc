package servers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ZooKeeper is an ensemble of ZooKeeper servers.
type ZooKeeper struct {
	group
	Addresses []string
}

// zooConfig is as in ZooKeeper's sample, but for what keeps it on loopback. The
// limit of 60 connections an address goes, since all workers have the same one,
// and sessions may be as short as a tick.
const zooConfig = `tickTime=2000
initLimit=10
syncLimit=5
minSessionTimeout=2000
dataDir=data
clientPortAddress=%s
clientPort=%d
maxClientCnxns=0
admin.enableServer=false
4lw.commands.whitelist=srvr
`

// StartZooKeeper runs an ensemble of that size, syncing as it does by default.
// It returns when every server takes part.
func StartZooKeeper(ctx context.Context, parent, java, classPath string, servers int, options ...Option) (*ZooKeeper, error) {
	ports, err := freePorts(3 * servers)
	if err != nil {
		return nil, err
	}
	var ensemble strings.Builder
	for i := range servers {
		if servers > 1 {
			fmt.Fprintf(&ensemble, "server.%d=%s:%d:%d\n", i+1, host, ports[servers+2*i], ports[servers+2*i+1])
		}
	}
	zoo := &ZooKeeper{}
	var commands []command
	for i := range servers {
		c, err := zooCommand(parent, java, classPath, i, fmt.Sprintf(zooConfig, host, ports[i])+ensemble.String())
		if err != nil {
			return nil, err
		}
		commands = append(commands, c)
		zoo.Addresses = append(zoo.Addresses, address(ports[i]))
	}
	if err := apply(commands, options); err != nil {
		return nil, err
	}
	zoo.group, err = startGroup(ctx, commands, func(ctx context.Context, i int) error {
		_, err := ZooKeeperVersion(ctx, zoo.Addresses[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	return zoo, nil
}

// zooCommand writes a server's files.
func zooCommand(parent, java, classPath string, number int, config string) (command, error) {
	dir, err := subdir(parent, fmt.Sprintf("zookeeper%d", number))
	if err != nil {
		return command{}, err
	}
	if _, err := subdir(dir, "data"); err != nil {
		return command{}, err
	}
	id := strconv.Itoa(number+1) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "data", "myid"), []byte(id), 0o600); err != nil {
		return command{}, fmt.Errorf("configure ZooKeeper: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "zoo.cfg"), []byte(config), 0o600); err != nil {
		return command{}, fmt.Errorf("configure ZooKeeper: %w", err)
	}
	return command{name: "zookeeper", dir: dir, path: java, data: "data", args: []string{
		"-Xmx512m", "-cp", classPath, "org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg",
	}}, nil
}

// ZooKeeperVersion asks a server by its four-letter command srvr, which it
// answers in full only when it serves.
func ZooKeeperVersion(ctx context.Context, address string) (string, error) {
	text, err := askAll(ctx, address, "srvr")
	if err != nil {
		return "", err
	}
	version, found := strings.CutPrefix(text, "Zookeeper version: ")
	if !found || !strings.Contains(text, "\nMode: ") {
		return "", fmt.Errorf("it answers %q", text)
	}
	version, _, _ = strings.Cut(version, ",")
	version, _, _ = strings.Cut(version, "-")
	return version, nil
}
