// Command member is an etcd member for tests, of the release that the module
// file pins which it is built with. Its argument is a configuration file of
// etcd's, in whose directory it runs. It says "ready" once it serves, and ends
// when its standard input does.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: member FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string) error {
	if err := os.Chdir(filepath.Dir(file)); err != nil {
		return err
	}
	cfg, err := embed.ConfigFromFile(file)
	if err != nil {
		return fmt.Errorf("configure etcd: %w", err)
	}
	member, err := embed.StartEtcd(cfg)
	if err != nil {
		return fmt.Errorf("start etcd: %w", err)
	}
	defer member.Close()
	select {
	case <-member.Server.ReadyNotify():
	case <-member.Server.StopNotify():
		return errors.New("start etcd: stopped by itself")
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
