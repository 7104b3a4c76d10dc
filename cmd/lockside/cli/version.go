package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// linkedVersion is for those who build without a repository around them, with
// -ldflags "-X lockside/cmd/lockside/cli.linkedVersion=v1.2.3".
var linkedVersion string

type versionInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitzero"`
	Go      string `json:"go"`
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := readVersion()
			if a.json {
				return a.writeJSON(info)
			}
			commit := ""
			if info.Commit != "" {
				commit = " commit " + info.Commit
			}
			_, err := fmt.Fprintf(a.stdout, "lockside %s%s %s\n", info.Version, commit, info.Go)
			return err
		},
	}
}

func readVersion() versionInfo {
	info := versionInfo{Version: "unknown"}
	if build, ok := debug.ReadBuildInfo(); ok {
		info.Version, info.Go = build.Main.Version, build.GoVersion
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" {
				info.Commit = setting.Value
			}
		}
	}
	if linkedVersion != "" {
		info.Version = linkedVersion
	}
	return info
}
