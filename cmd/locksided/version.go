package main

import (
	"fmt"
	"runtime"

	buildinfo "lockside/cmd/version"
)

// version is one line of words: the program, its version and commit, the
// release of Go, the etcd that --embedded runs, and the platform.
func version() string {
	return fmt.Sprintf("locksided %s etcd=%s %s/%s", buildinfo.Read(),
		buildinfo.Module("go.etcd.io/etcd/server/v3"), runtime.GOOS, runtime.GOARCH)
}

// buildVersion is the version alone, for STATUS.
func buildVersion() string { return buildinfo.Read().Version }
