// Command lockside runs commands under locks of locksided, and shows locks.
package main

import (
	"os"

	"lockside/cmd/lockside/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, os.Stdout, os.Stderr))
}
