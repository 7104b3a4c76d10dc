package main

import (
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"lockside/fencing/lab/soak"
)

func soakCommand() *cobra.Command {
	var (
		options soak.Options
		json    string
	)
	command := &cobra.Command{
		Use:   "soak",
		Short: "Run clients under faults for long, and check what they are told",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			level := slog.LevelInfo
			if options.Debug {
				level = slog.LevelDebug
			}
			log := slog.New(slog.NewTextHandler(command.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
			result, err := soak.Run(command.Context(), options, log)
			if result == nil {
				return err
			}
			err = errors.Join(err, result.WriteTable(command.OutOrStdout()))
			if json != "" {
				err = errors.Join(err, toFile(json, result.WriteJSON))
			}
			return errors.Join(err, result.Err())
		},
	}
	addSoakFlags(command, &options)
	command.Flags().StringVar(&json, "json", "", "write the result into a `file` as JSON")
	return command
}

func addSoakFlags(command *cobra.Command, o *soak.Options) {
	flags := command.Flags()
	flags.DurationVar(&o.For, "for", 10*time.Minute, "have faults for this time")
	flags.Uint64Var(&o.Seed, "seed", 0, "plan as the soak with this seed did; 0 draws one")
	flags.IntVar(&o.Hosts, "hosts", 3, "number of hosts, with a daemon each")
	flags.IntVar(&o.Members, "members", 3, "size of the cluster")
	flags.IntVar(&o.Clients, "clients", 300, "number of clients, on all hosts together")
	flags.IntVar(&o.Crowds, "crowds", 6, "number of processes that the clients are in")
	flags.IntVar(&o.Names, "names", 120, "number of names to lock")
	flags.DurationVar(&o.TTL, "ttl", 10*time.Second, "TTL of the daemons")
	flags.DurationVar(&o.Progress, "progress", 10*time.Second, "tell how it goes every so often")
	flags.StringVar(&o.History, "history", "", "write all that clients were told into a `file`, a line of JSON each")
	flags.BoolVar(&o.Debug, "debug", false, "tell of every fault, and have the daemons log all that they do")
	flags.BoolVar(&o.Keep, "keep", false, "leave the servers' files and logs where they are")
	flags.StringVar(&o.Dir, "dir", "", "`directory` for the servers' files (default that for temporary files)")
	flags.StringVar(&o.Programs.Etcd, "etcd", "", "etcd `program` (default built from its module)")
	flags.StringVar(&o.Programs.Locksided, "locksided", "", "locksided `program` (default built from this tree)")
}
