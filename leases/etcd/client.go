package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"lockside/leases/boottime"
)

// Client speaks to one etcd cluster. Its methods may be called concurrently.
type Client struct {
	logger   *slog.Logger
	clock    boottime.Clock
	calls    *bound // each try
	allowOld bool

	endpoints *endpoints
	memory    *memory

	ctx    context.Context // ends at Close
	cancel context.CancelFunc
	wait   sync.WaitGroup // monitors and watchers
}

// New makes a client and never waits for a server: it fails only for a
// configuration that makes no sense.
func New(cfg Config) (*Client, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	all, err := newEndpointList(cfg)
	if err != nil {
		return nil, err
	}
	c := &Client{
		logger:    cfg.Logger,
		clock:     cfg.Clock,
		allowOld:  cfg.AllowOldServers,
		endpoints: newEndpoints(all),
		memory:    newMemory(cfg.Remembered, cfg.Seen, cfg.WentBack),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.calls = newBound(c.ctx, cfg.CallTimeout, fmt.Errorf("no answer within %v", cfg.CallTimeout))
	for _, e := range all {
		c.wait.Go(func() { c.monitor(e) })
	}
	return c, nil
}

func newEndpointList(cfg Config) ([]*endpoint, error) {
	var all []*endpoint
	for _, url := range cfg.Endpoints {
		e, err := newEndpoint(url, cfg)
		if err != nil {
			return nil, errors.Join(err, closeAll(all))
		}
		all = append(all, e)
	}
	return all, nil
}

func closeAll(all []*endpoint) error {
	var errs []error
	for _, e := range all {
		errs = append(errs, e.connection().Close())
	}
	return errors.Join(errs...)
}

// Close ends every call, watcher and renewal, and waits for the goroutines.
// Nothing may be started on the client afterwards.
func (c *Client) Close() error {
	c.cancel()
	c.wait.Wait() // a monitor may be replacing a connection
	return closeAll(c.endpoints.all)
}
