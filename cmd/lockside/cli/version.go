package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lockside/cmd/version"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := version.Read()
			if a.json {
				return a.writeJSON(info)
			}
			_, err := fmt.Fprintf(a.stdout, "lockside %s\n", info)
			return err
		},
	}
}
