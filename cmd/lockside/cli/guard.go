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

// selfPath is the kernel's name for our executable, which holds even if an upgrade
// has replaced the file.
const selfPath = "/proc/self/exe"

// guardArgs is the command line of guard.
func (a *app) guardArgs() []string {
	return []string{selfPath, a.argv0, guardCommand}
}
