package httpguard_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lockside/fencing/httpguard"
)

func TestRequire(t *testing.T) {
	const fence, claim, once = httpguard.FenceHeader, httpguard.ClaimHeader, httpguard.OnceHeader
	handler := httpguard.Require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ask, ok := httpguard.FromContext(r.Context()); ok {
			words := map[[2]bool]string{{true, false}: " claim", {false, true}: " once"}
			w.Header().Set("Asked", ask.Token.String()+words[[2]bool{ask.Claim, ask.Once}])
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	for _, one := range []struct {
		method, headers string // of names and values
		status          int
		token           string
	}{
		{"GET", "", 204, ""},
		{"HEAD", "", 204, ""},
		{"QUERY", "", 204, ""},
		{"GET", fence + " 8123", 204, "8123"},
		{"GET", fence + " x", 400, ""},
		{"GET", fence + " 8123 " + claim + " ?1", 400, ""},
		{"GET", fence + " 8123 " + once + " ?1", 400, ""},
		{"GET", claim + " ?1", 428, ""},
		{"PUT", "", 428, ""},
		{"DELETE", "", 428, ""},
		{"BREW", "", 428, ""},
		{"get", "", 428, ""}, // methods have a case
		{"PUT", fence + " 8123", 204, "8123"},
		{"PUT", fence + " 8123@cdf818194e3a8c32", 204, "8123@cdf818194e3a8c32"},
		{"PUT", fence + " 08123", 400, ""},
		{"PUT", fence + " s8123", 400, ""},
		{"PUT", fence + " 8123,8124", 400, ""},
		{"PUT", fence + " 8123 " + fence + " 8124", 400, ""},
		{"PUT", fence + " 8123 " + fence + " 8123", 400, ""},
		{"PUT", fence + " 8123 " + once + " ?1", 204, "8123 once"},
		{"PUT", fence + " 8123 " + once + " ?0", 204, "8123"},
		{"PUT", fence + " 8123 " + once + " true", 400, ""},
		{"PUT", fence + " 8123 " + claim + " ?1", 400, ""},
		{"POST", fence + " 8123 " + claim + " ?1", 204, "8123 claim"},
		{"POST", fence + " 8123 " + claim + " ?1 " + once + " ?1", 400, ""},
	} {
		r := httptest.NewRequest(one.method, "/", nil)
		for words := strings.Fields(one.headers); len(words) > 0; words = words[2:] {
			r.Header.Add(words[0], words[1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		token := w.Header().Get("Asked")
		if w.Code != one.status || token != one.token {
			t.Errorf("%s with %q: %d with %q, want %d with %q", one.method, one.headers, w.Code, token, one.status, one.token)
		}
		if sign := w.Header().Get(fence); w.Code == 204 && token != "" && !strings.HasPrefix(token, sign) || w.Code != 204 && sign != "" {
			t.Errorf("%s with %q: the answer has the fence %q", one.method, one.headers, sign)
		}
		if asked := one.headers != "" || one.status != 204; asked != (w.Header().Get("Vary") == fence) {
			t.Errorf("%s with %q: varies with %q", one.method, one.headers, w.Header().Get("Vary"))
		}
	}
}
