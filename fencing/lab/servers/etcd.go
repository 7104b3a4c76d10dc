package servers

import (
	"context"
	"fmt"
	"strings"
)

// Etcd is a cluster of etcd members.
type Etcd struct {
	group
	Endpoints []string // URLs that clients use, one a member
	Cluster   string   // names and URLs by which members know each other, as etcd's --initial-cluster
}

// StartEtcd runs a new cluster below dir, with etcd's own defaults: it syncs
// its log, and compacts nothing. It returns when every member answers.
func StartEtcd(ctx context.Context, dir, binary string, members int, options ...Option) (*Etcd, error) {
	ports, err := freePorts(2 * members)
	if err != nil {
		return nil, err
	}
	var cluster []string
	for i := range members {
		cluster = append(cluster, fmt.Sprintf("m%d=http://%s", i, address(ports[members+i])))
	}
	etcd := &Etcd{}
	var commands []command
	for i := range members {
		c, err := etcdCommand(dir, binary, i, ports[i], ports[members+i])
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, "--initial-cluster", strings.Join(cluster, ","))
		commands = append(commands, c)
		etcd.Endpoints = append(etcd.Endpoints, "http://"+address(ports[i]))
	}
	if err := apply(commands, options); err != nil {
		return nil, err
	}
	etcd.Cluster = strings.Join(cluster, ",")
	etcd.group, err = startGroup(ctx, commands, func(ctx context.Context, i int) error {
		return healthy(ctx, etcd.Endpoints[i])
	})
	if err != nil {
		return nil, err
	}
	return etcd, nil
}

func etcdCommand(parent, binary string, member, port, peerPort int) (command, error) {
	name := fmt.Sprintf("m%d", member)
	dir, err := subdir(parent, "etcd-"+name)
	if err != nil {
		return command{}, err
	}
	client, peer := "http://"+address(port), "http://"+address(peerPort)
	return command{name: name, dir: dir, path: binary, data: "data", args: []string{
		"--name", name, "--data-dir", "data", "--log-level", "warn",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
	}}, nil
}

// healthy asks a member whether it has a leader and commits.
// See etcd's documentation of /health.
func healthy(ctx context.Context, endpoint string) error {
	_, err := get(ctx, endpoint+"/health")
	return err
}

// Member is a member's name, and the URL by which others know it.
func (e *Etcd) Member(i int) (name, peer string) {
	name, peer, _ = strings.Cut(strings.Split(e.Cluster, ",")[i], "=")
	return name, peer
}
