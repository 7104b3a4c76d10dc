package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A release is what is known of the sources that are built.
type release struct {
	version string    // of the module, as v1.2.3
	commit  string    // in hex; empty if it is not known
	time    time.Time // of everything in the packages
}

// moduleRoot is the directory of the module around the working directory.
func moduleRoot(ctx context.Context) (string, error) {
	file, err := output(ctx, ".", "go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	return filepath.Dir(file), nil
}

// findRelease asks git and the environment. A version that is given need not be
// found out.
func findRelease(ctx context.Context, root, version string) (release, error) {
	if version != "" && !semver.IsValid(version) {
		return release{}, fmt.Errorf("version %q: want one like v1.2.3", version)
	}
	r := release{version: version}
	commit, err := output(ctx, root, "git", "log", "-1", "--format=%H %ct")
	if err == nil {
		var seconds string
		r.commit, seconds, _ = strings.Cut(commit, " ")
		err = r.at(seconds)
	}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		err = cmp.Or(r.at(epoch), noVersion(r, err))
	}
	if err != nil {
		return release{}, fmt.Errorf("find out version and time, or give -version and SOURCE_DATE_EPOCH: %w", err)
	}
	if r.version == "" {
		r.version, err = r.derive(ctx, root)
	}
	return r, err
}

// noVersion is what keeps a version from being found out, if one is wanted.
func noVersion(r release, err error) error {
	if r.version != "" {
		return nil
	}
	return err
}

func (r *release) at(seconds string) error {
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.time = time.Unix(s, 0).UTC()
	return nil
}

// derive names the version as go build would: by the tag of the commit, or after
// the last tag before it, by the commit's time and name. A tree that is not as
// the commit has it is dirty.
func (r *release) derive(ctx context.Context, root string) (string, error) {
	changes, err := output(ctx, root, "git", "status", "--porcelain")
	if err != nil {
		return "", err
	}
	tag, err := output(ctx, root, "git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
	if _, none := errors.AsType[*exec.ExitError](err); none {
		tag, err = "", nil
	}
	if err != nil {
		return "", err
	}
	version := tag
	if tagged, err := output(ctx, root, "git", "tag", "--points-at", "HEAD", "--list", cmp.Or(tag, "none")); err != nil || tagged == "" {
		version = module.PseudoVersion(cmp.Or(semver.Major(tag), "v0"), tag, r.time, r.commit[:12])
	}
	if changes != "" {
		version += "+dirty"
	}
	return version, nil
}

// packageVersion is the version as dpkg and rpm compare it: what is before a
// release sorts below it by its tilde.
func (r release) packageVersion() string {
	number, pre, found := strings.Cut(strings.TrimPrefix(r.version, "v"), "-")
	if !found {
		return number
	}
	return number + "~" + strings.ReplaceAll(pre, "-", ".")
}

// output runs a command in a directory and returns what it writes, without the
// newline at its end.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
