package servers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Counters are what etcd itself counts of leases, since its start.
type Counters struct {
	Leases   int `json:"leases"`   // that there are now
	Renewals int `json:"renewals"` // by all members together
}

// Metrics of etcd; see its lease/metrics.go. Each member counts all that are
// granted and revoked, and the leader alone what is renewed.
const (
	grantedMetric = "etcd_debugging_lease_granted_total"
	revokedMetric = "etcd_debugging_lease_revoked_total"
	renewedMetric = "etcd_debugging_lease_renewed_total"
)

// Counters asks all members.
func (e *Etcd) Counters(ctx context.Context) (Counters, error) {
	var sum Counters
	for i, endpoint := range e.Endpoints {
		text, err := get(ctx, endpoint+"/metrics")
		if err != nil {
			return Counters{}, fmt.Errorf("ask an etcd member for its metrics: %w", err)
		}
		granted, revoked, renewed := metric(text, grantedMetric), metric(text, revokedMetric), metric(text, renewedMetric)
		if granted < 0 || revoked < 0 || renewed < 0 {
			return Counters{}, fmt.Errorf("this etcd does not count leases as %s", renewedMetric)
		}
		sum.Renewals += renewed
		if i == 0 {
			sum.Leases = granted - revoked
		}
	}
	return sum, nil
}

// metric is the value of a counter without labels, in Prometheus' text format,
// or -1 if it is not there.
func metric(text, name string) int {
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			if n, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				return int(n)
			}
		}
	}
	return -1
}

// get asks for a page and leaves no connection behind.
func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("it answers %s", response.Status)
	}
	return string(text), err
}
