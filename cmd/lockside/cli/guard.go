package cli

import (
	"github.com/spf13/cobra"

	"lockside/cmd/lockside/child"
)

const guardCommand = "guard"

// guard is how run makes this program the guard of its command.
func (a *app) guard() *cobra.Command {
	return &cobra.Command{
		Use:                guardCommand,
		Hidden:             true,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return child.Guard(args) },
	}
}

// guardArgs is the command line of guard. The kernel's name for our executable
// holds even if an upgrade has replaced the file.
func (a *app) guardArgs() []string {
	return []string{"/proc/self/exe", a.argv0, guardCommand}
}
