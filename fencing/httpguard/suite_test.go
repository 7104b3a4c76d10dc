package httpguard_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"lockside/fencing/fencingtest"
)

func TestGuard(t *testing.T) {
	fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[*http.Request] { return resource(t, "") })
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
