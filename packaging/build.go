package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// programs are the two that packages install.
func programs() []string { return []string{"lockside", "locksided"} }

// build makes the packages of a release in the directory out, and returns their
// paths.
func build(ctx context.Context, root, out string, r release, architectures []string) ([]string, error) {
	stage, err := os.MkdirTemp("", "lockside-packaging-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	// The programs of this machine write completions.
	for _, arch := range slices.Compact(slices.Sorted(slices.Values(append(architectures, runtime.GOARCH)))) {
		if err := compile(ctx, root, filepath.Join(stage, arch), arch, r); err != nil {
			return nil, err
		}
	}
	manual, err := fill(ctx, root, stage, r)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, arch := range architectures {
		for _, packager := range []string{"deb", "rpm"} {
			file, err := pack(ctx, root, stage, out, contents{release: r, Arch: arch, Manual: manual}, packager)
			if err != nil {
				return files, err
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// compile builds the programs, static and without what only debuggers read.
// They say the release's version, whatever Go finds out of the repository.
func compile(ctx context.Context, root, dir, arch string, r release) error {
	linker := fmt.Sprintf("-s -w -X lockside/cmd/version.version=%s -X lockside/cmd/version.commit=%s", r.version, r.commit)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", linker, "-o", dir + "/"}
	for _, program := range programs() {
		args = append(args, "./cmd/"+program)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	cmd := command(ctx, root, "go", args...)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build for %s: %w", arch, err)
	}
	return nil
}
