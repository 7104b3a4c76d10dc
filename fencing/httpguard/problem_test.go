package httpguard_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lockside/fencing"
	"lockside/fencing/httpguard"
)

const cluster = 0xcdf818194e3a8c32

func at(fence int64) fencing.Token { return fencing.Token{Cluster: cluster, Fence: fence} }

// TestRefusals holds that what a server refuses with is what its client gets.
func TestRefusals(t *testing.T) {
	for _, refusal := range []struct {
		err    error
		status int
		body   string
	}{
		{&fencing.StaleError{Token: at(8122), Highest: at(8123)}, 412,
			`{"title":"Precondition Failed","status":412,"detail":"the fencing token 8122 is stale: 8123 has been seen","error":"stale","token":"8122@cdf818194e3a8c32","highest":"8123@cdf818194e3a8c32"}`},
		{&fencing.StaleError{Token: at(8122)}, 412,
			`{"title":"Precondition Failed","status":412,"detail":"the fencing token 8122 is stale: its lock is over","error":"stale","token":"8122@cdf818194e3a8c32"}`},
		{fmt.Errorf("write: %w", fencing.ErrStale), 412, `{"title":"Precondition Failed","status":412,"detail":"the fencing token is stale","error":"stale"}`},
		{&fencing.SpentError{Token: at(8122)}, 409,
			`{"title":"Conflict","status":409,"detail":"the fencing token 8122 has been used for its one write","error":"spent","token":"8122@cdf818194e3a8c32"}`},
		{&fencing.ClusterError{Token: at(8122), Highest: fencing.Token{Fence: 7}}, 409,
			`{"title":"Conflict","status":409,"detail":"the fencing token 8122 is of etcd cluster cdf818194e3a8c32: the resource has seen 7 of an etcd cluster that was not told","error":"cluster","token":"8122@cdf818194e3a8c32","highest":"7"}`},
		{httpguard.ErrUnfinished, 409, `{"title":"Conflict","status":409,"detail":"the token's one write began and may have been done or not","error":"unfinished"}`},
		{fmt.Errorf("%w: table secrets", fencing.ErrUnknown), 404, `{"title":"Not Found","status":404,"detail":"no such resource","error":"unknown"}`},
		{fmt.Errorf("%w: x", fencing.ErrShared), 400,
			`{"title":"Bad Request","status":400,"detail":"not a fencing token: several may hold beside one another: x","error":"token"}`},
		{httpguard.ErrMissing, 428, `{"title":"Precondition Required","status":428,"detail":"a write needs the header Lockside-Fence","error":"missing"}`},
		{errors.New("secrets"), 500, `{"title":"Internal Server Error","status":500,"error":"internal"}`},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { httpguard.Refuse(w, refusal.err) }))
		defer server.Close()
		response, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != refusal.status || string(body) != refusal.body+"\n" {
			t.Errorf("%v is answered %d, %v\n%s\nwant %d\n%s", refusal.err, response.StatusCode, err, body, refusal.status, refusal.body)
		}
		if h := response.Header; h.Get("Cache-Control") != "no-store" || h.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%v is answered with %v", refusal.err, h)
		}
		client := &httpguard.Client{URL: server.URL, HTTP: server.Client()}
		err = client.Claim(t.Context(), at(8122))
		for _, sentinel := range []error{fencing.ErrStale, fencing.ErrSpent, fencing.ErrCluster, fencing.ErrUnknown, fencing.ErrToken, httpguard.ErrMissing, httpguard.ErrUnfinished} {
			if errors.Is(err, sentinel) != errors.Is(refusal.err, sentinel) {
				t.Errorf("a client gets %v for %v", err, refusal.err)
			}
		}
	}
}

// TestAnswersOfOthers holds that what is no refusal of this package is no error of
// package fencing, and that it can be read.
func TestAnswersOfOthers(t *testing.T) {
	long := strings.Repeat("x", 40_000)
	for _, answer := range []struct {
		status     int
		kind, body string
	}{
		{412, "text/html", `<p>stale</p>`},
		{412, "application/json", `{"error":"stale"}`},
		{412, "application/problem+json", `{"error":"stale","token":"7"}`}, // of another token
		{412, "application/problem+json", `{"error":"spent"}`},
		{409, "application/problem+json", `{"error":"stale"}`},
		{404, "application/problem+json", `{"title":"Not Found"}`},
		{400, "application/problem+json", `{"error":`},
		{500, "application/problem+json", `{"error":"stale"}`},
		{404, "text/plain", long},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", answer.kind)
			w.WriteHeader(answer.status)
			_, _ = io.WriteString(w, answer.body)
		}))
		defer server.Close()
		client := http.Client{Transport: &httpguard.Transport{Base: server.Client().Transport, Token: at(8122)}}
		response, err := client.Get(server.URL)
		if err != nil {
			t.Errorf("%d %.50s: %v", answer.status, answer.body, err)
			continue
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || string(body) != answer.body {
			t.Errorf("%d %.50s is read as %.50s, %v", answer.status, answer.body, body, err)
		}
		guard := &httpguard.Client{URL: server.URL, HTTP: server.Client()}
		if err, ok := errors.AsType[*httpguard.AnswerError](guard.Claim(t.Context(), at(8122))); !ok || err.Status != answer.status {
			t.Errorf("a claim answered %d: %v", answer.status, err)
		}
	}
}
