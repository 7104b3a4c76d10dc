package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// version is one line of words: the program, its version and revision, the
// etcd that --embedded runs, and the platform.
func version() string {
	words := []string{"locksided", "unknown"}
	if build, ok := debug.ReadBuildInfo(); ok {
		words[1] = build.Main.Version
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				words = append(words, s.Value)
			}
		}
		for _, m := range build.Deps {
			if m.Path == "go.etcd.io/etcd/server/v3" {
				words = append(words, "etcd="+strings.TrimPrefix(m.Version, "v"))
			}
		}
	}
	platform := fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return strings.Join(append(words, platform), " ")
}

// buildVersion is the version alone, for STATUS.
func buildVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		return build.Main.Version
	}
	return "unknown"
}
