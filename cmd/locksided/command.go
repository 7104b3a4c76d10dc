package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"lockside/daemon"
	"lockside/daemon/config"
	"lockside/systemd"
)

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "locksided",
		Args:          noArgs,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          serve,
	}
	config.AddFlags(root.Flags())
	root.SetFlagErrorFunc(usage)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetHelpFunc(writeHelp)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(checkCommand(), versionCommand())
	return root
}

func checkCommand() *cobra.Command {
	check := &cobra.Command{Use: "check", Args: noArgs, RunE: check}
	config.AddFlags(check.Flags())
	check.Flags().Int("image", daemon.ImageVersion, "the form of what a running daemon would hand over")
	_ = check.Flags().MarkHidden("image") // there is one
	return check
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		Args: noArgs,
		Run:  func(cmd *cobra.Command, _ []string) { cmd.Println(version()) },
	}
}

// serve runs the daemon until a signal ends it.
func serve(cmd *cobra.Command, _ []string) error {
	before, err := daemon.Inherit()
	if err != nil {
		return err
	}
	c, err := load(cmd)
	if err != nil {
		return err
	}
	if !c.Embedded {
		beModest()
	}
	log, err := newLogger(cmd.ErrOrStderr(), c)
	if err != nil {
		return err
	}
	socket, err := systemd.Socket()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel()
	return daemon.Run(ctx, daemon.Options{
		Config: c, Version: buildVersion(), Logger: log, Resume: before, Upgrades: reloads(ctx, log, &listening),
		Systemd: systemd.NewNotifier(log), Socket: socket,
	})
}

// mostCPUs is more than the daemon can use: one mutex guards what it decides.
const mostCPUs = 4

// beModest leaves half of the host's CPUs to others, if GOMAXPROCS says nothing.
// With more than it needs, a runtime wakes threads for work that is done before
// they look for it; on two CPUs that made a LOCK slower by a tenth of a Put.
func beModest() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(min(max(runtime.GOMAXPROCS(0)/2, 1), mostCPUs))
	}
}

// check reads the configuration as serve would and runs nothing.
func check(cmd *cobra.Command, _ []string) error {
	if _, err := load(cmd); err != nil {
		return err
	}
	if image, err := cmd.Flags().GetInt("image"); err != nil || image != daemon.ImageVersion {
		return fmt.Errorf("a daemon of another version is running, which hands over image %d and not %d: restart it", image, daemon.ImageVersion)
	}
	fmt.Fprintln(cmd.OutOrStdout(), "ok")
	return nil
}

func load(cmd *cobra.Command) (config.Config, error) {
	c, err := config.Load(cmd.Flags(), config.ThisProcess())
	if err != nil {
		return config.Config{}, &exitError{err, exitConfig}
	}
	return c, nil
}

// newLogger logs to systemd's journal if that is where standard error goes, and no
// format was asked for.
func newLogger(w io.Writer, c config.Config) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	journal, err := systemd.Journal(c.LogLevel)
	if err != nil {
		return nil, err
	}
	if journal != nil {
		return slog.New(journal), nil
	}
	return slog.New(slog.NewTextHandler(w, options)), nil
}
