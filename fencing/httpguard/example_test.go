package httpguard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"lockside/fencing"
	"lockside/fencing/httpguard"
)

// A server whose resource has no transaction, and two holders of its lock. The
// first one is paused, and writes after the second one has claimed.
func Example() {
	dir, err := os.MkdirTemp("", "watermarks")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store, err := httpguard.Files(dir)
	if err != nil {
		panic(err)
	}
	guard := httpguard.Guard{
		Store: store,
		Name:  func(*http.Request) (string, error) { return "report", nil },
	}
	server := httptest.NewServer(guard.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		report, _ := io.ReadAll(r.Body)
		fmt.Printf("the report is %s\n", report)
	})))
	defer server.Close()

	client := &httpguard.Client{URL: server.URL}
	write := func(fence int64, report string) error {
		r, err := http.NewRequest(http.MethodPut, server.URL, strings.NewReader(report))
		if err != nil {
			return err
		}
		return client.Write(context.Background(), fencing.Token{Fence: fence}, r)
	}
	fmt.Println(client.Claim(context.Background(), fencing.Token{Fence: 8122}))
	fmt.Println(write(8122, "first"))
	fmt.Println(client.Claim(context.Background(), fencing.Token{Fence: 8123}))
	fmt.Println(errors.Is(write(8122, "late"), fencing.ErrStale))
	// Output:
	// <nil>
	// the report is first
	// <nil>
	// <nil>
	// true
}

// A server whose handler writes to a database, with the database's guard.
func ExampleDo() {
	var rows fencing.Guard[string] = printer{} // of a package like sqlguard
	handler := httpguard.Require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := httpguard.Do(r.Context(), rows, "a row"); err != nil {
			httpguard.Refuse(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	server := httptest.NewServer(handler)
	defer server.Close()

	client := &httpguard.Client{URL: server.URL}
	fmt.Println(client.Claim(context.Background(), fencing.Token{Fence: 8123}))
	// Output:
	// claimed with 8123
	// <nil>
}

// A printer is a guard that tells what it is asked to do.
type printer struct{}

func (printer) Claim(_ context.Context, t fencing.Token) error {
	fmt.Println("claimed with", t)
	return nil
}

func (printer) Write(_ context.Context, t fencing.Token, row string) error {
	fmt.Println("written with", t, row)
	return nil
}

func (printer) WriteOnce(_ context.Context, t fencing.Token, row string) error {
	fmt.Println("written once with", t, row)
	return nil
}
