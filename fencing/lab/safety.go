package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockside/fencing/lab/safety"
)

// errBroken is for a promise of lockside that a run did not see kept.
var errBroken = errors.New("lockside did not keep what it promises")

func safetyCommand() *cobra.Command {
	var (
		options safety.Options
		out     safety.Output
	)
	command := &cobra.Command{
		Use:   "safety",
		Short: "Strike lock services while a client holds a lock, and see what becomes of what it guards",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			log := slog.New(slog.NewTextHandler(command.ErrOrStderr(), nil))
			report, err := safety.Run(command.Context(), options, log)
			if report == nil {
				return err
			}
			err = errors.Join(err, out.Write(report, command.OutOrStdout()))
			if len(report.Broken) > 0 {
				err = errors.Join(err, fmt.Errorf("%w: %s", errBroken, strings.Join(report.Broken, "; ")))
			}
			return err
		},
	}
	addSafetyFlags(command, &options, &out)
	return command
}

func addSafetyFlags(command *cobra.Command, o *safety.Options, out *safety.Output) {
	var scenarios []string
	for _, s := range safety.Scenarios() {
		scenarios = append(scenarios, s.Name)
	}
	flags := command.Flags()
	flags.StringArrayVar(&o.Systems, "system", nil, fmt.Sprintf("strike this system, which may be given several times; there are %q (default all)", safety.Names()))
	flags.StringSliceVar(&o.Scenarios, "scenario", nil, fmt.Sprintf("strike in this way; there are %q (default all)", scenarios))
	flags.BoolVar(&o.Short, "short", false, "play some stories of each kind")
	flags.IntVar(&o.Parallel, "parallel", 3, "play so many stories at a time")
	flags.DurationVar(&o.TTL, "ttl", 6*time.Second, "TTL of locks and sessions")
	flags.StringVar(&o.Dir, "dir", "", "`directory` for the servers' files (default that for temporary files)")
	flags.BoolVar(&o.Keep, "keep", false, "leave the servers' files and logs there")
	flags.StringVar(&o.Programs.Etcd, "etcd", "", "etcd `program` (default built from its module)")
	flags.StringVar(&o.Programs.Locksided, "locksided", "", "locksided `program` (default built from this tree)")
	flags.StringVar(&o.Programs.Redis, "redis", "", "redis-server `program` (default looked for)")
	flags.StringVar(&o.Programs.Postgres, "postgres", "", "postgres `program`, with initdb beside it (default looked for)")
	flags.StringVar(&o.Programs.Java, "java", "", "java `program` (default looked for)")
	flags.StringVar(&o.Programs.ZooKeeper, "zookeeper", "", "class `path` of ZooKeeper (default where Debian has it)")
	flags.StringVar(&o.Programs.Faketime, "faketime", "", "libfaketime's `library`, for programs with threads (default where Debian has it)")
	flags.StringVar(&out.JSON, "json", "", "write all results, with what happened, into a `file` as JSON")
	flags.StringVar(&out.Markdown, "markdown", "", "write the results as a part of the page in a `file`, whose other parts stay")
	flags.StringVar(&out.SVG, "svg", "", "draw stories into a `directory`; the page shows them")
}
