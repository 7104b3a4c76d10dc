package httpguard_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lockside/fencing"
	"lockside/fencing/httpguard"
)

// A visit is a request that reached a server.
type visit struct{ path, method, fence string }

// origins are two servers. The first one answers /307/away and the like with that
// redirect to the second one, and /307/home with one to itself.
func origins(t *testing.T) (home string, visits *[]visit) {
	t.Helper()
	visits = new([]visit)
	var away *httptest.Server
	note := func(r *http.Request) {
		*visits = append(*visits, visit{r.URL.Path, r.Method, r.Header.Get(httpguard.FenceHeader)})
	}
	away = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { note(r) }))
	t.Cleanup(away.Close)
	codes := map[string]int{"301": 301, "302": 302, "303": 303, "307": 307, "308": 308}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		code, where, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch {
		case !found:
		case where == "away":
			http.Redirect(w, r, away.URL+"/end", codes[code])
		default:
			http.Redirect(w, r, "/end", codes[code])
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, visits
}

func TestRedirects(t *testing.T) {
	for _, one := range []struct {
		method, path string
		want         visit // at the end; none where it is an error
	}{
		{"GET", "/302/home", visit{"/end", "GET", "8123"}},
		{"GET", "/302/away", visit{"/end", "GET", ""}},
		{"PUT", "/307/home", visit{"/end", "PUT", "8123"}},
		{"PUT", "/308/away", visit{}},
		{"PUT", "/307/away", visit{}},
		{"POST", "/303/home", visit{"/end", "GET", "8123"}},
		{"POST", "/303/away", visit{"/end", "GET", ""}},
		{"POST", "/301/away", visit{"/end", "GET", ""}},
	} {
		home, visits := origins(t)
		client := http.Client{Transport: &httpguard.Transport{Token: fencing.Token{Fence: 8123}}}
		r, err := http.NewRequestWithContext(t.Context(), one.method, home+one.path, strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(r)
		if one.want == (visit{}) {
			if !errors.Is(err, httpguard.ErrRedirected) || len(*visits) != 1 {
				t.Errorf("%s %s: %v after %v, want %v", one.method, one.path, err, *visits, httpguard.ErrRedirected)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", one.method, one.path, err)
			continue
		}
		response.Body.Close()
		if first := (*visits)[0]; first.fence != "8123" || (*visits)[len(*visits)-1] != one.want {
			t.Errorf("%s %s: %v, want %v at the end", one.method, one.path, *visits, one.want)
		}
	}
}

// TestNetHTTPLeaks holds what the package says of net/http: a Transport is needed.
func TestNetHTTPLeaks(t *testing.T) {
	home, visits := origins(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, home+"/302/away", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(httpguard.FenceHeader, "8123")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if last := (*visits)[1]; last.fence != "8123" {
		t.Errorf("net/http sends another origin %v, which is better than what the package says", last)
	}
}

// TestTransportOwnsTheHeaders holds that a request whose headers are set already
// goes with the token of its context, and is not changed.
func TestTransportOwnsTheHeaders(t *testing.T) {
	home, visits := origins(t)
	client := http.Client{Transport: &httpguard.Transport{Token: fencing.Token{Fence: 1}}}
	r, err := http.NewRequestWithContext(httpguard.WithToken(t.Context(), fencing.Token{Fence: 2}), http.MethodPut, home+"/end", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(httpguard.FenceHeader, "3")
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := (*visits)[0].fence; got != "2" || r.Header.Get(httpguard.FenceHeader) != "3" {
		t.Errorf("sent with %s; the request has %s", got, r.Header.Get(httpguard.FenceHeader))
	}
}

func TestClientIsGuarded(t *testing.T) {
	home, visits := origins(t)
	client := &httpguard.Client{URL: home + "/end"}
	for call, err := range map[string]error{
		"Claim": client.Claim(t.Context(), at(1)),
		"Write": client.Write(t.Context(), at(1), put(home+"/end", "")),
	} {
		if !errors.Is(err, httpguard.ErrUnguarded) {
			t.Errorf("%s at a server without a guard: %v, want %v", call, err, httpguard.ErrUnguarded)
		}
	}
	*visits = nil
	client.URL = home + "/303/home"
	if answer, ok := errors.AsType[*httpguard.AnswerError](client.Claim(t.Context(), at(1))); !ok || answer.Status != 303 {
		t.Errorf("a claim that is redirected: %v", answer)
	}
	if len(*visits) != 1 {
		t.Errorf("a claim was sent on: %v", *visits)
	}
	if err := client.Write(t.Context(), at(1), httptest.NewRequest(http.MethodGet, home, nil)); err == nil || len(*visits) != 1 {
		t.Errorf("a write with GET: %v", err)
	}
}
