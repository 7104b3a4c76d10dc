package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lockside/ipc"
)

const aboutStatus = `Show how the daemon is, its store and its leases.

The exit code is 69 if the daemon does not answer, or its store is not well.`

func (a *app) status() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show how the daemon is",
		Long:  aboutStatus,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := a.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			lines, err := client.Status(cmd.Context())
			if err != nil {
				return err
			}
			if err := a.writeStatus(lines); err != nil {
				return err
			}
			return health(lines)
		},
	}
}

// health is an error if a line says that something is not ok.
func health(lines []ipc.Fields) error {
	for _, line := range lines {
		if health, found := line.Lookup("health"); found && health != "ok" {
			return &exitError{
				code: exitUnavailable,
				err:  fmt.Errorf("%s of the daemon: %w", line.Get("about"), errors.New(health)),
				hint: line.Get("text"),
			}
		}
	}
	return nil
}

// writeStatus shows whatever the daemon says: lines and fields will be added.
func (a *app) writeStatus(lines []ipc.Fields) error {
	if a.json {
		return a.writeJSON(jsonStatus(lines))
	}
	for _, line := range lines {
		rows := [][]string{{line.Get("about")}}
		for _, field := range line {
			if field.Key != "about" {
				rows = append(rows, []string{"  " + field.Key, field.Value})
			}
		}
		if err := table(a.stdout, rows); err != nil {
			return err
		}
	}
	return nil
}

func jsonStatus(lines []ipc.Fields) []map[string]string {
	values := make([]map[string]string, 0, len(lines))
	for _, line := range lines {
		value := make(map[string]string, len(line))
		for _, field := range line {
			value[field.Key] = field.Value
		}
		values = append(values, value)
	}
	return values
}
