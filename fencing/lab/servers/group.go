package servers

import (
	"context"
	"sync"
)

// A group is processes that are stopped together.
type group []*process

// Stop ends all processes and waits for them.
func (g group) Stop() {
	var wg sync.WaitGroup
	for _, p := range g {
		wg.Go(p.halt)
	}
	wg.Wait()
}

// startGroup starts all, or none, and waits until each passes its probe.
func startGroup(ctx context.Context, commands []command, probe func(ctx context.Context, i int) error) (group, error) {
	var g group
	for i, c := range commands {
		p, err := start(c)
		if err != nil {
			g.Stop()
			return nil, err
		}
		p.probe = func(ctx context.Context) error { return probe(ctx, i) }
		g = append(g, p)
	}
	for i := range g {
		if err := g.Ready(ctx, i); err != nil {
			g.Stop()
			return nil, err
		}
	}
	return g, nil
}

// Ready waits until the process of that number serves, for a minute at most.
func (g group) Ready(ctx context.Context, i int) error { return g[i].ready(ctx, g[i].probe) }
