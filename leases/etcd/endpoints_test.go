package etcd

import (
	"errors"
	"slices"
	"testing"
)

func TestEndpointsInTheOrderOfTheirUse(t *testing.T) {
	down := errors.New("down")
	views := map[string]view{
		"failed":   {answered: true, err: down, leader: true, term: 9},
		"unknown":  {},
		"follower": {answered: true, healthy: true, term: 9},
		"deposed":  {answered: true, healthy: true, leader: true, term: 8},
		"leader":   {answered: true, healthy: true, leader: true, term: 9},
		"learner":  {answered: true, healthy: true, learner: true, term: 9},
		"old":      {answered: true, refused: ErrServerTooOld},
	}
	s := &endpoints{}
	for _, url := range []string{"old", "failed", "unknown", "learner", "follower", "deposed", "leader"} {
		s.all = append(s.all, &endpoint{url: url, view: views[url]})
	}
	s.update(s.all[0], func(*view) {})
	order, err := s.ranked()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range order {
		got = append(got, e.url)
	}
	if want := []string{"leader", "follower", "deposed", "unknown", "failed"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestNoEndpointLeft(t *testing.T) {
	old := &endpoint{view: view{answered: true, refused: ErrServerTooOld}}
	learner := &endpoint{view: view{answered: true, learner: true}}
	for _, test := range []struct {
		all  []*endpoint
		want error
	}{
		{[]*endpoint{learner}, ErrUnavailable},
		{[]*endpoint{learner, old}, ErrServerTooOld},
	} {
		s := newEndpoints(test.all)
		s.update(test.all[0], func(*view) {})
		if order, err := s.ranked(); order != nil || !errors.Is(err, test.want) {
			t.Errorf("ranked gives %d endpoints and %v, want %v", len(order), err, test.want)
		}
	}
}
