package servers

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// member serves metrics as an etcd member does.
func member(t *testing.T, text string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestCounters(t *testing.T) {
	follower := member(t, "# HELP etcd_debugging_lease_granted_total n\netcd_debugging_lease_granted_total 1.2e+02\n"+
		"etcd_debugging_lease_revoked_total 20\netcd_debugging_lease_renewed_total 5\n")
	leader := member(t, "etcd_debugging_lease_granted_total 120\n"+
		"etcd_debugging_lease_revoked_total 20\netcd_debugging_lease_renewed_total 1000\n")
	got, err := (&Etcd{Endpoints: []string{follower, leader}}).Counters(t.Context())
	if want := (Counters{Leases: 100, Renewals: 1005}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestCountersThatAreNotThere(t *testing.T) {
	for _, endpoint := range []string{member(t, "etcd_debugging_lease_granted_total 1\n"), member(t, "") + "/none"} {
		if got, err := (&Etcd{Endpoints: []string{endpoint}}).Counters(t.Context()); err == nil {
			t.Errorf("%s: %+v", endpoint, got)
		}
	}
}
