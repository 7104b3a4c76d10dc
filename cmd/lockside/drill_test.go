package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"lockside/cmd/lockside/drill/register/registertest"
)

// resource KIND starts what a drill is to change. Its URL is in $RESOURCE: a
// postgres, a redis, or a web server that checks fences, is unguarded, demands no
// claim, or hangs.
func (w *world) resource(ts *testscript.TestScript, args []string) error {
	page := registertest.NewPage("as it was")
	switch args[0] {
	case "postgres":
		return w.server(ts, registertest.StartPostgres)
	case "redis":
		return w.server(ts, registertest.StartRedis)
	case "guarded":
		w.web(ts, page.Guarded())
	case "unguarded":
		w.web(ts, page)
	case "without-claims":
		w.web(ts, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				http.Error(rw, "what is a claim?", http.StatusMethodNotAllowed)
				return
			}
			page.ServeHTTP(rw, r)
		}))
	case "hanging":
		w.web(ts, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut && r.Header.Get("Lockside-Fence") != "" {
				_, _ = io.Copy(io.Discard, r.Body) // Only then is the client's end seen.
				<-r.Context().Done()
				return
			}
			page.ServeHTTP(rw, r)
		}))
	default:
		return fmt.Errorf("there is no resource %s", args[0])
	}
	return nil
}

func (w *world) web(ts *testscript.TestScript, handler http.Handler) {
	server := httptest.NewServer(handler)
	w.ends = append(w.ends, server.Close)
	ts.Setenv("RESOURCE", server.URL)
}

func (w *world) server(ts *testscript.TestScript, start func(string) (*registertest.Server, error)) error {
	dir, err := os.MkdirTemp("", "ls") // of the host: $WORK is too long for a socket
	if err != nil {
		return err
	}
	w.ends = append(w.ends, func() { os.RemoveAll(dir) })
	server, err := start(dir)
	if err != nil {
		return err
	}
	w.ends = append([]func(){server.Stop}, w.ends...)
	ts.Setenv("RESOURCE", server.URL)
	return nil
}

// ended checks that drills, whose TMPDIR is $DRILL, have left neither processes nor
// files.
func (w *world) ended(*testscript.TestScript, []string) error {
	return errors.Join(w.noProcess(), w.noFile())
}

func (w *world) noProcess() error {
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return err
	}
	for _, path := range environs {
		environ, _ := os.ReadFile(path) // It may have ended.
		if bytes.Contains(environ, []byte("TMPDIR="+w.drill)) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			return fmt.Errorf("%q still runs", line)
		}
	}
	return nil
}

func (w *world) noFile() error {
	files, err := os.ReadDir(w.drill)
	if err == nil && len(files) > 0 {
		err = fmt.Errorf("%s is still there", files[0].Name())
	}
	return err
}
