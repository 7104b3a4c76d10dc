package httpguard_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"lockside/fencing"
	"lockside/fencing/httpguard"
)

// serveIn has the test's program serve one resource from a directory instead of
// running the tests. Its listener is file 3. A flaw makes the server wrong.
const (
	serveIn = "HTTPGUARD_TEST_DIR"
	flawIn  = "HTTPGUARD_TEST_FLAW"
)

// The flaws of servers.
const (
	forgets   = "forgets"   // watermarks are in memory
	unchecked = "unchecked" // tokens are read, and not compared
	unguarded = "unguarded" // the headers are not looked at
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveIn); dir != "" {
		fmt.Fprintln(os.Stderr, serve(dir, os.Getenv(flawIn)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serve never returns but with what went wrong.
func serve(dir, flaw string) error {
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return err
	}
	handler, err := guarded(dir, flaw)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/values/{name}", handler)
	return http.Serve(listener, mux)
}

// guarded is the resource "kept" behind a guard.
func guarded(dir, flaw string) (http.Handler, error) {
	store, err := httpguard.Files(filepath.Join(dir, "watermarks"))
	if err != nil {
		return nil, err
	}
	if flaw == forgets {
		store = httpguard.Memory()
	}
	guard := httpguard.Guard{Store: store, Name: name, MaxBody: 1000}
	switch value := value(filepath.Join(dir, "value")); flaw {
	case unchecked:
		return httpguard.Require(value), nil
	case unguarded:
		return value, nil
	default:
		return guard.Handler(value), nil
	}
}

func name(r *http.Request) (string, error) {
	if name := r.PathValue("name"); name != "kept" {
		return "", fmt.Errorf("%w: %q", fencing.ErrUnknown, name)
	}
	return "kept", nil
}

// value is a file, which GET gives and PUT and POST set. It fails half-way, or does
// not end, when it is told to.
func value(path string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.ServeFile(w, r, path)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(path+".new", body, 0o600)
		}
		if err == nil && r.Header.Get("X-Hang") != "" {
			if err = os.Rename(path+".new", path); err == nil {
				select {} // until the process is killed
			}
		}
		if err == nil && r.Header.Get("X-Fail") != "" {
			err = fmt.Errorf("it fails as it was told to")
		}
		if err == nil {
			err = os.Rename(path+".new", path)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
