package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"lockside/fencing/lab/page"
	"lockside/fencing/lab/report"
	"lockside/fencing/lab/speed"
	"lockside/fencing/lab/systems"
)

// output is where the results go, beside the table.
type output struct {
	json     string
	markdown string
	svg      string
}

// errLimit is why a run ends before its time when it takes too long.
var errLimit = errors.New("the limit was reached; raise --limit, or measure less")

func speedCommand() *cobra.Command {
	var (
		options speed.Options
		out     output
		limit   time.Duration
	)
	command := &cobra.Command{
		Use:   "speed",
		Short: "Measure how fast locks are taken and released, and check them meanwhile",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeoutCause(command.Context(), limit, errLimit)
			defer cancel()
			log := slog.New(slog.NewTextHandler(command.ErrOrStderr(), nil))
			results, err := speed.Run(ctx, options, log)
			if results == nil {
				return err
			}
			return errors.Join(err, out.write(results, command.OutOrStdout()))
		},
	}
	addSpeedFlags(command, &options, &out)
	command.Flags().DurationVar(&limit, "limit", time.Hour, "end the run after this time, with what was measured until then")
	return command
}

func addSpeedFlags(command *cobra.Command, o *speed.Options, out *output) {
	var names []string
	for _, kind := range systems.Kinds() {
		names = append(names, kind.Name)
	}
	flags := command.Flags()
	flags.StringArrayVar(&o.Systems, "system", nil, fmt.Sprintf("measure this system, which may be given several times; there are %q (default all)", names))
	flags.IntSliceVar(&o.Members, "members", []int{1, 3}, "sizes of clusters")
	flags.StringSliceVar(&o.Loads, "loads", []string{"own", "one", "hosts"}, "own: each worker its own name; one: all workers one name; hosts: one name, on two hosts")
	flags.IntSliceVar(&o.Workers, "workers", []int{1, 16, 64, 256}, "numbers of workers of own and one; of 1, one makes 2")
	flags.IntSliceVar(&o.HostWorkers, "host-workers", []int{2, 16}, "numbers of workers of hosts, on both together")
	flags.DurationVar(&o.Time, "time", 2*time.Second, "measure each load for this time, in each round")
	flags.DurationVar(&o.Warmup, "warmup", time.Second, "run each load for this time before")
	flags.IntVar(&o.Rounds, "rounds", 2, "go through all systems so many times")
	flags.DurationVar(&o.TTL, "ttl", 15*time.Second, "TTL of locks and sessions")
	flags.DurationVar(&o.Pause.Min, "pause-min", 5*time.Millisecond, "shortest pause of systems that poll")
	flags.DurationVar(&o.Pause.Max, "pause-max", 25*time.Millisecond, "longest pause of systems that poll")
	flags.IntVar(&o.Reuse, "reuse", 100_000, "have one name used for so many cycles, once with each system, in the first size of cluster; 0 leaves it out")
	flags.IntVar(&o.ReuseWorkers, "reuse-workers", 16, "number of workers that use that name")
	flags.DurationVar(&o.ReuseTime, "reuse-time", 3*time.Minute, "the most that it takes with each system; slow ones do fewer cycles")
	flags.IntVar(&o.Quiet, "quiet", 10_000, "have so many sessions hold a name each, once with lockside by hand and with etcd's Mutex; 0 leaves it out")
	flags.DurationVar(&o.QuietTime, "quiet-time", 5*time.Second, "have one more client lock for this time before, beside and after them")
	flags.IntVar(&o.Waiters, "waiters", 2000, "have so many wait for one name, with the same systems; 0 leaves it out")
	flags.StringVar(&o.Dir, "dir", "", "`directory` for the servers' files, on the disk to measure (default that for temporary files)")
	flags.StringVar(&o.Programs.Etcd, "etcd", "", "etcd `program` (default built from its module)")
	flags.StringVar(&o.Programs.Locksided, "locksided", "", "locksided `program` (default built from this tree)")
	flags.StringVar(&o.Programs.Redis, "redis", "", "redis-server `program` (default looked for)")
	flags.StringVar(&o.Programs.Postgres, "postgres", "", "postgres `program`, with initdb beside it (default looked for)")
	flags.StringVar(&o.Programs.Java, "java", "", "java `program` (default looked for)")
	flags.StringVar(&o.Programs.ZooKeeper, "zookeeper", "", "class `path` of ZooKeeper (default where Debian has it)")
	flags.StringVar(&out.json, "json", "", "write all results into a `file` as JSON")
	flags.StringVar(&out.markdown, "markdown", "", "write the results into their part of a page, a `file`")
	flags.StringVar(&out.svg, "svg", "", "write plots into a `directory`; the page shows them")
}

// write writes the results in all forms that are wanted.
func (o output) write(r *report.Report, stdout io.Writer) error {
	err := r.WriteTable(stdout)
	if o.json != "" {
		err = errors.Join(err, toFile(o.json, r.WriteJSON))
	}
	var plots []string
	if o.svg != "" {
		files, failed := r.WritePlots(o.svg)
		plots, err = files, errors.Join(err, failed)
	}
	if o.markdown != "" {
		err = errors.Join(err, page.Put(o.markdown, "speed", func(w io.Writer) error {
			return r.WriteMarkdown(w, relative(filepath.Dir(o.markdown), plots))
		}))
	}
	return err
}

// relative are the paths as seen from a directory, where there is a way.
func relative(dir string, paths []string) []string {
	var all []string
	for _, path := range paths {
		if seen, err := filepath.Rel(dir, path); err == nil {
			path = seen
		}
		all = append(all, filepath.ToSlash(path))
	}
	return all
}

func toFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return errors.Join(write(file), file.Close())
}
