package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"lockside/cmd/locksided/help"
	"lockside/daemon/config"
)

// writeHelp writes the one page of help.
func writeHelp(cmd *cobra.Command, _ []string) {
	fmt.Fprint(cmd.OutOrStdout(), help.Page(config.ThisProcess()))
}
