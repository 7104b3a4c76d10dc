package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"lockside/packaging/man"
)

// fill writes into the stage what is made for the packages beside the programs.
// It returns the names of the manual's pages.
func fill(ctx context.Context, root, stage string, r release) ([]string, error) {
	if err := write(filepath.Join(stage, "lockside.yaml"), []byte(defaultConfig())); err != nil {
		return nil, err
	}
	if err := completions(ctx, stage); err != nil {
		return nil, err
	}
	changes, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	debian, err := debianChangelog(string(changes), r)
	if err != nil {
		return nil, err
	}
	if err := writeGzip(filepath.Join(stage, "changelog.Debian.gz"), []byte(debian)); err != nil {
		return nil, err
	}
	return manual(root, stage, r)
}

// manual writes the pages of the manual.
func manual(root, stage string, r release) ([]string, error) {
	documents, err := man.ReadDocuments(root)
	if err != nil {
		return nil, err
	}
	pages, err := man.Pages(man.Edition{Version: r.version, Date: r.time}, documents)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range pages {
		if err := writeGzip(filepath.Join(stage, "man", p.File()+".gz"), p.Text); err != nil {
			return nil, err
		}
		names = append(names, p.File())
	}
	return names, nil
}

// completions has the programs write what shells need to complete their commands.
func completions(ctx context.Context, stage string) error {
	for _, program := range programs() {
		for _, shell := range []string{"bash", "zsh", "fish"} {
			out, err := exec.CommandContext(ctx, filepath.Join(stage, runtime.GOARCH, program), "completion", shell).Output()
			if err != nil {
				return fmt.Errorf("complete %s in %s: %w", program, shell, err)
			}
			if err := write(filepath.Join(stage, "completions", program+"."+shell), out); err != nil {
				return err
			}
		}
	}
	return nil
}

func write(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// writeGzip writes what gzip -9n does: no name and no time is in it.
func writeGzip(file string, data []byte) error {
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return write(file, compressed.Bytes())
}
