package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// contents fills the holes of nfpm.yaml.
type contents struct {
	release
	Arch   string
	Manual []string // file names of the pages

	Root, Stage string
}

// Version and Time are the release's, as nfpm wants them.
func (c contents) Version() string { return c.packageVersion() }
func (c contents) Time() string    { return c.time.Format(time.RFC3339) }

// Documents are installed beside the manual.
func (contents) Documents() []string {
	return []string{"README.md", "SECURITY.md", "ipc/PROTOCOL.md"}
}

// Examples are for those who write units of their own.
func (contents) Examples() []string {
	return []string{"systemd/client.conf", "systemd/lockside@.service"}
}

// Zsh tells where each family's zsh looks for completions.
func (contents) Zsh() []struct{ Packager, Dir string } {
	return []struct{ Packager, Dir string }{{"deb", "vendor-completions"}, {"rpm", "site-functions"}}
}

// pack makes one package with nfpm, and returns its path.
func pack(ctx context.Context, root, stage, out string, c contents, packager string) (string, error) {
	c.Root, c.Stage = root, stage
	config := filepath.Join(stage, "nfpm-"+c.Arch+".yaml")
	if err := c.write(config); err != nil {
		return "", err
	}
	target, err := filepath.Abs(filepath.Join(out, c.file(packager)))
	if err != nil {
		return "", err
	}
	cmd := command(ctx, root, "go", "tool", "-modfile=packaging/tools/go.mod", "nfpm", "package",
		"--config", config, "--packager", packager, "--target", target)
	cmd.Env = append(cmd.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", c.time.Unix()))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("make %s: %w\n%s", filepath.Base(target), err, said.Bytes())
	}
	return target, nil
}

func (c contents) write(file string) error {
	text, err := os.ReadFile(filepath.Join(c.Root, "packaging", "nfpm.yaml"))
	if err != nil {
		return err
	}
	holes, err := template.New("nfpm.yaml").Option("missingkey=error").Funcs(template.FuncMap{
		"base":    filepath.Base,
		"section": func(page string) string { return strings.TrimPrefix(filepath.Ext(page), ".") },
	}).Parse(string(text))
	if err != nil {
		return err
	}
	var filled bytes.Buffer
	if err := holes.Execute(&filled, c); err != nil {
		return err
	}
	return write(file, filled.Bytes())
}

// file is the name that each family gives a package.
func (c contents) file(packager string) string {
	if packager == "deb" {
		return fmt.Sprintf("lockside_%s-1_%s.deb", c.Version(), c.Arch)
	}
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[c.Arch]
	return fmt.Sprintf("lockside-%s-1.%s.rpm", c.Version(), arch)
}

// command runs in the repository, and says there what is wrong.
func command(ctx context.Context, root, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	return cmd
}
