package fencing_test

import (
	"errors"
	"testing"

	"lockside/fencing"
)

func TestWatermark(t *testing.T) {
	at := func(fence int64) fencing.Token { return fencing.Token{Cluster: id, Fence: fence} }
	for _, c := range []struct {
		highest, token fencing.Token
		many, once     error
	}{
		{fencing.Token{}, at(1), nil, nil},
		{at(10), at(9), fencing.ErrStale, fencing.ErrStale},
		{at(10), at(10), nil, fencing.ErrSpent},
		{at(10), at(11), nil, nil},
		{at(10), fencing.Token{Fence: 11}, fencing.ErrCluster, fencing.ErrCluster},
		{fencing.Token{Fence: 10}, at(11), fencing.ErrCluster, fencing.ErrCluster},
		{fencing.Token{Cluster: id}, at(1), nil, nil},
		{fencing.Token{Cluster: id}, fencing.Token{Cluster: 1, Fence: 1}, fencing.ErrCluster, fencing.ErrCluster},
		{at(10), fencing.Token{}, fencing.ErrToken, fencing.ErrToken},
		{at(10), at(-1), fencing.ErrToken, fencing.ErrToken},
		{fencing.Token{}, fencing.Token{}, fencing.ErrToken, fencing.ErrToken},
	} {
		mark := fencing.Watermark{Highest: c.highest}
		for rule, admit := range map[string]func(fencing.Token) (fencing.Watermark, error){"Admit": mark.Admit, "AdmitOnce": mark.AdmitOnce} {
			want := c.many
			if rule == "AdmitOnce" {
				want = c.once
			}
			next, err := admit(c.token)
			switch {
			case !errors.Is(err, want):
				t.Errorf("%v.%s(%v): %v, want %v", c.highest, rule, c.token, err, want)
			case err != nil && next != mark:
				t.Errorf("%v.%s(%v) refuses, and leaves %v", c.highest, rule, c.token, next)
			case err == nil && next.Highest != c.token:
				t.Errorf("%v.%s(%v) leaves %v", c.highest, rule, c.token, next)
			}
		}
	}
}

// TestRefusalsAreTold holds that what is told apart is told apart, with its
// numbers.
func TestRefusalsAreTold(t *testing.T) {
	high := fencing.Token{Cluster: id, Fence: 10}
	for text, err := range map[string]error{
		"the fencing token 9 is stale: 10 has been seen":                                                                         &fencing.StaleError{Token: fencing.Token{Fence: 9}, Highest: high},
		"the fencing token 9 is stale: its lock is over":                                                                         &fencing.StaleError{Token: fencing.Token{Fence: 9}},
		"the fencing token 10 has been used for its one write":                                                                   &fencing.SpentError{Token: high},
		"the fencing token 9 is of an etcd cluster that was not told: the resource has seen 10 of etcd cluster cdf818194e3a8c32": &fencing.ClusterError{Token: fencing.Token{Fence: 9}, Highest: high},
	} {
		if err.Error() != text {
			t.Errorf("%q, want %q", err, text)
		}
		found := 0
		for _, kind := range []error{fencing.ErrStale, fencing.ErrSpent, fencing.ErrCluster, fencing.ErrToken, fencing.ErrUnknown} {
			if errors.Is(err, kind) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%q is of %d kinds", err, found)
		}
	}
}
