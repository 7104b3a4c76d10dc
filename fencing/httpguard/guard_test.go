package httpguard_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockside/fencing"
	"lockside/fencing/httpguard"
)

// serveHandler serves the resource "kept" of a store behind a guard.
func serveHandler(t *testing.T, store httpguard.Store, next http.HandlerFunc) *httpguard.Client {
	t.Helper()
	guard := httpguard.Guard{Store: store, Name: func(*http.Request) (string, error) { return "kept", nil }, MaxBody: 1000}
	server := httptest.NewServer(guard.Handler(next))
	t.Cleanup(server.Close)
	return &httpguard.Client{URL: server.URL, HTTP: server.Client()}
}

func noContent(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// TestPausedClientKeepsNobodyOut has a holder stop in the middle of its body, and
// the next one claim and write. What the first one then sends is refused.
func TestPausedClientKeepsNobodyOut(t *testing.T) {
	client := serveHandler(t, httpguard.Memory(), noContent)
	paused, err := net.Dial("tcp", strings.TrimPrefix(client.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer paused.Close()
	if _, err := io.WriteString(paused, "PUT / HTTP/1.1\r\nHost: a\r\nLockside-Fence: "+at(1).String()+"\r\nContent-Length: 4\r\nConnection: close\r\n\r\nla"); err != nil {
		t.Fatal(err)
	}
	if err := client.Claim(t.Context(), at(2)); err != nil {
		t.Fatal(err)
	}
	if err := client.Write(t.Context(), at(2), put(client.URL, "second")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(paused, "te"); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(paused); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 412 ") {
		t.Errorf("the late write: %v, %.200s", err, answer)
	}
}

// TestWritesOfOneResourceAreSerial has a claim wait for a write that is being done,
// and the write's own waiting end with its client.
func TestWritesOfOneResourceAreSerial(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	client := serveHandler(t, httpguard.Memory(), func(w http.ResponseWriter, _ *http.Request) {
		close(began)
		<-end
		w.WriteHeader(http.StatusNoContent)
	})
	written, claimed := make(chan error, 1), make(chan error, 1)
	go func() { written <- client.Write(context.WithoutCancel(t.Context()), at(1), put(client.URL, "")) }()
	<-began
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := client.Claim(gone, at(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("a claim whose client went: %v", err)
	}
	go func() { claimed <- client.Claim(context.WithoutCancel(t.Context()), at(2)) }()
	select {
	case err := <-claimed:
		t.Errorf("a claim was done within a write: %v", err)
	case end <- struct{}{}:
	}
	if err := errors.Join(<-written, <-claimed); err != nil {
		t.Error(err)
	}
}

// TestWriteOnceThatDoesNotEnd holds that nobody is told that it was done.
func TestWriteOnceThatDoesNotEnd(t *testing.T) {
	for name, fail := range map[string]http.HandlerFunc{
		"a status": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) },
		"a panic":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			store, err := httpguard.Files(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			client := serveHandler(t, store, fail)
			if err := client.WriteOnce(t.Context(), at(1), put(client.URL, "")); err == nil {
				t.Error("the first time it succeeds")
			}
			if err := client.WriteOnce(t.Context(), at(1), put(client.URL, "")); !errors.Is(err, httpguard.ErrUnfinished) {
				t.Errorf("the second time: %v, want %v", err, httpguard.ErrUnfinished)
			}
			if err := client.Claim(t.Context(), at(2)); err != nil {
				t.Errorf("the next holder: %v", err)
			}
			if err := client.WriteOnce(t.Context(), at(1), put(client.URL, "")); !errors.Is(err, fencing.ErrStale) {
				t.Errorf("after it: %v, want %v", err, fencing.ErrStale)
			}
		})
	}
}

func TestMaxBody(t *testing.T) {
	client := serveHandler(t, httpguard.Memory(), noContent)
	err := client.Write(t.Context(), at(1), put(client.URL, strings.Repeat("x", 1001)))
	if answer, ok := errors.AsType[*httpguard.AnswerError](err); !ok || answer.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("%v, want 413", err)
	}
	if err := client.Write(t.Context(), at(1), put(client.URL, strings.Repeat("x", 1000))); err != nil {
		t.Error(err)
	}
}

// TestHandlersAnswer holds that the client gets what the handler answers.
func TestHandlersAnswer(t *testing.T) {
	client := serveHandler(t, httpguard.Memory(), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Vary", "Accept")
		w.Header().Set("X-Own", "yes")
		w.WriteHeader(http.StatusCreated)
		w.Header().Set("X-Late", "yes")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(append(body, " and back"...))
	})
	over := http.Client{Transport: &httpguard.Transport{Base: client.HTTP.Transport}}
	response, err := over.Do(put(client.URL, "there").WithContext(httpguard.WithToken(t.Context(), at(1))))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusCreated || string(body) != "there and back" {
		t.Errorf("%d, %q, %v", response.StatusCode, body, err)
	}
	if h := response.Header; h.Get("X-Own") != "yes" || h.Get("X-Late") != "" || len(h.Values("Vary")) != 2 || h.Get("Lockside-Fence") != at(1).String() {
		t.Errorf("the headers are %v", h)
	}
}

// TestFileOfAWatermark holds that a person can read it, and that nothing is let in
// where it cannot be read.
func TestFileOfAWatermark(t *testing.T) {
	dir := t.TempDir()
	store, err := httpguard.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	client := serveHandler(t, store, noContent)
	if err := client.Claim(t.Context(), at(8123)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "kept")
	if text, err := os.ReadFile(path); err != nil || string(text) != at(8123).String()+"\n" {
		t.Errorf("%q, %v", text, err)
	}
	for _, text := range []string{"", "\n", "x\n", "8123 \n", " 8123\n", "0\n", "8123 begun begun\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := client.Write(t.Context(), at(9000), put(client.URL, ""))
		if answer, ok := errors.AsType[*httpguard.AnswerError](err); !ok || answer.Status != http.StatusInternalServerError {
			t.Errorf("%q: %v, want 500", text, err)
		}
	}
	if err := os.WriteFile(path, []byte("9000\n"), 0o600); err != nil { // of another cluster
		t.Fatal(err)
	}
	if err := client.Claim(t.Context(), at(9001)); !errors.Is(err, fencing.ErrCluster) {
		t.Errorf("%v, want %v", err, fencing.ErrCluster)
	}
}
