package dirguard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lockside/fencing"
	"lockside/fencing/dirguard"
)

// Two holders publish a page and its index. The first one is paused, and goes on
// after the second one has claimed.
func Example() {
	site, err := os.MkdirTemp("", "site")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(site)
	ctx, guard := context.Background(), dirguard.New(site)
	first, second := fencing.Token{Fence: 8122}, fencing.Token{Fence: 8123}
	pages := func(text string) dirguard.Fill {
		return func(root *os.Root) error {
			return errors.Join(
				root.WriteFile("page", []byte(text+" page"), 0o644),
				root.WriteFile("index", []byte(text+" index"), 0o644))
		}
	}

	fmt.Println(guard.Write(ctx, first, pages("first")))
	fmt.Println(guard.Claim(ctx, second))
	fmt.Println(guard.Write(ctx, first, pages("late")))

	page, err := os.ReadFile(filepath.Join(site, "current", "page"))
	fmt.Println(string(page), err)
	// Output:
	// <nil>
	// <nil>
	// the fencing token 8122 is stale: 8123 has been seen
	// first page <nil>
}
