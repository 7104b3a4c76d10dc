// Package version tells which version of lockside a program is.
package version

import (
	"runtime/debug"
	"strings"
)

// What the linker was told by those who build packages, with
//
//	-ldflags "-X lockside/cmd/version.version=v1.2.3 -X lockside/cmd/version.commit=0123abc…"
//
// Without it, Go has stamped what it knows of the repository into the program.
var version, commit string

// Info is what a program knows of its own build.
type Info struct {
	// Version is that of the module, "(devel)" or "unknown" where nobody
	// said it.
	Version string `json:"version"`
	// Commit is the revision of the repository, in hex. It is empty if the
	// program was built without one.
	Commit string `json:"commit,omitzero"`
	// Go is the release that compiled the program.
	Go string `json:"go"`
}

// Read tells about the running program.
func Read() Info {
	info := Info{Version: "unknown"}
	if build, ok := debug.ReadBuildInfo(); ok {
		info.Version, info.Go = build.Main.Version, build.GoVersion
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" {
				info.Commit = setting.Value
			}
		}
	}
	if version != "" {
		info.Version = version
	}
	if commit != "" {
		info.Commit = commit
	}
	return info
}

// Module is the version, without its v, of a module that the program is made
// of. It is empty if the program is made without it.
func Module(path string) string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range build.Deps {
		if m.Path == path {
			return strings.TrimPrefix(m.Version, "v")
		}
	}
	return ""
}

// String is the version, the commit if it is known, and Go's release.
func (i Info) String() string {
	words := []string{i.Version}
	if i.Commit != "" {
		words = append(words, "commit "+i.Commit)
	}
	return strings.Join(append(words, i.Go), " ")
}
