package httpguard_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/httpguard"
)

func TestGuard(t *testing.T) {
	fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[*http.Request] { return resource(t, "") })
}

// TestKilledWithinAWriteOnce holds that nobody is told that it was done, or not done,
// and that its token counts.
func TestKilledWithinAWriteOnce(t *testing.T) {
	p := startProcess(t, "")
	url := "http://" + p.address + "/values/kept"
	connections := &http.Transport{}
	client := &httpguard.Client{URL: url, HTTP: &http.Client{Transport: connections}}
	hangs := put(url, "new")
	hangs.Header.Set("X-Hang", "yes")
	written := make(chan error, 1)
	go func() { written <- client.WriteOnce(context.WithoutCancel(t.Context()), at(2), hangs) }()
	for value := ""; value != "new" && t.Context().Err() == nil; {
		value, _ = p.value(t.Context()) // until the handler is within
	}
	p.kill()
	if err := <-written; err == nil {
		t.Error("a write whose server was killed succeeds")
	}
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	connections.CloseIdleConnections()
	for token, want := range map[int64]error{1: fencing.ErrStale, 2: httpguard.ErrUnfinished} {
		if err := client.WriteOnce(t.Context(), at(token), put(url, "again")); !errors.Is(err, want) {
			t.Errorf("%d writes once: %v, want %v", token, err, want)
		}
	}
	if err := client.WriteOnce(t.Context(), at(3), put(url, "next")); err != nil {
		t.Errorf("the next holder: %v", err)
	}
}

// TestBrokenServers holds that the suite finds what is wrong with a server.
func TestBrokenServers(t *testing.T) {
	for flaw, want := range map[string]string{
		forgets:   "a watermark outlives a restart",
		unchecked: "a late write after a claim is refused",
		unguarded: "an equal token is accepted", // since its client wants a sign
	} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			var found []string
			for _, c := range fencingtest.Cases[*http.Request]() {
				if c.Name == "writers that race" {
					continue // others tell as much, and faster
				}
				t.Run(c.Name, func(t *testing.T) {
					if err := c.Run(t.Context(), resource(t, flaw)); err != nil {
						found = append(found, c.Name)
					}
				})
			}
			if !slices.Contains(found, want) {
				t.Errorf("failed: %s; want also %q", strings.Join(found, ", "), want)
			}
		})
	}
}
