package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lockside/leases/keys"
)

const aboutKey = `Print the prefix of a name's keys in etcd. Every key below it is a place in the
name's queue, in the order of create revisions.

With --mutex print what etcdctl lock and a concurrency.Mutex of etcd's Go client
are to lock, so that they and lockside exclude each other.`

func (a *app) key() *cobra.Command {
	var prefix string
	var mutex bool
	cmd := &cobra.Command{
		Use:   "key [flags] NAME",
		Short: "Print where a name's queue is in etcd",
		Long:  aboutKey,
		Example: `  etcdctl get --prefix "$(lockside key nightly)"
  etcdctl lock "$(lockside key --mutex nightly)" backup`,
		Args: oneName,
		RunE: func(_ *cobra.Command, args []string) error {
			queue := keys.Queue(prefix, args[0])
			if mutex {
				queue = strings.TrimSuffix(queue, "/")
			}
			if a.json {
				return a.writeJSON(map[string]string{"key": queue})
			}
			_, err := fmt.Fprintln(a.stdout, queue)
			return err
		},
	}
	cmd.Flags().StringVar(&prefix, "prefix", "lockside/", "the daemons' --`prefix`")
	cmd.Flags().BoolVar(&mutex, "mutex", false, "print the name for plain etcd locks")
	return cmd
}
