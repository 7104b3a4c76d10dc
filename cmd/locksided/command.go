package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"lockside/daemon"
	"lockside/daemon/config"
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
	root.SetHelpFunc(help)
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(checkCommand(), versionCommand())
	return root
}

func checkCommand() *cobra.Command {
	check := &cobra.Command{Use: "check", Args: noArgs, RunE: check}
	config.AddFlags(check.Flags())
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
	c, err := load(cmd)
	if err != nil {
		return err
	}
	return daemon.Run(cmd.Context(), daemon.Options{
		Config: c, Version: buildVersion(), Logger: newLogger(cmd.ErrOrStderr(), c),
	})
}

// check reads the configuration as serve would and runs nothing.
func check(cmd *cobra.Command, _ []string) error {
	if _, err := load(cmd); err != nil {
		return err
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

func newLogger(w io.Writer, c config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
