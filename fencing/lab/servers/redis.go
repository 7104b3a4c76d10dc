package servers

import (
	"context"
	"fmt"
	"strconv"
)

// Redis is one Redis server, or several that know nothing of each other.
type Redis struct {
	group
	Addresses []string
}

// StartRedis runs n servers that append each write to a file and sync it before
// they answer.
func StartRedis(ctx context.Context, parent, binary string, n int, options ...Option) (*Redis, error) {
	ports, err := freePorts(n)
	if err != nil {
		return nil, err
	}
	redis := &Redis{}
	var commands []command
	for i, port := range ports {
		dir, err := subdir(parent, fmt.Sprintf("redis%d", i))
		if err != nil {
			return nil, err
		}
		redis.Addresses = append(redis.Addresses, address(port))
		commands = append(commands, command{name: "redis", dir: dir, path: binary, data: "appendonlydir", args: []string{
			"--bind", host, "--port", strconv.Itoa(port), "--save", "",
			"--appendonly", "yes", "--appendfsync", "always",
		}})
	}
	if err := apply(commands, options); err != nil {
		return nil, err
	}
	redis.group, err = startGroup(ctx, commands, func(ctx context.Context, i int) error {
		return ask(ctx, redis.Addresses[i], "PING\r\nQUIT\r\n", "+PONG\r\n")
	})
	if err != nil {
		return nil, err
	}
	return redis, nil
}
