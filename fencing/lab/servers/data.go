package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Save copies the files that the server of that number keeps its data in, as they
// are on disk by now.
func (g group) Save(ctx context.Context, i int) error {
	return g[i].copyData(ctx, g[i].data, "saved")
}

// PutBack replaces them with the copy, while the server does not run.
func (g group) PutBack(ctx context.Context, i int) error {
	if err := os.RemoveAll(filepath.Join(g[i].dir, g[i].data)); err != nil {
		return fmt.Errorf("put back the data of %s: %w", g[i].name, err)
	}
	return g[i].copyData(ctx, "saved", g[i].data)
}

// copyData keeps owners and holes, which cp does better than we would.
func (c command) copyData(ctx context.Context, from, to string) error {
	cmd := exec.CommandContext(ctx, "cp", "-a", "--sparse=always", from, to)
	cmd.Dir = c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("copy the data of %s: %w\n%s", c.name, err, out)
	}
	return nil
}

// Data is the directory that the server of that number keeps its data in.
func (g group) Data(i int) string { return filepath.Join(g[i].dir, g[i].data) }

// KillAll kills all processes, as Kill does.
func (g group) KillAll() {
	var wg sync.WaitGroup
	for i := range g {
		wg.Go(func() { g.Kill(i) })
	}
	wg.Wait()
}

// RestartAll is Restart for processes of which none serves before the others do.
func (g group) RestartAll(ctx context.Context) error {
	for i := range g {
		if err := g.revive(i); err != nil {
			return err
		}
	}
	for i := range g {
		if err := g.Ready(ctx, i); err != nil {
			return err
		}
	}
	return nil
}
