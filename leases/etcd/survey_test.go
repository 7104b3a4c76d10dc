package etcd_test

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

// TestSurveyTellsHowFarTheClusterIs, whatever the client has seen before, and of the
// endpoints that there are.
func TestSurveyTellsHowFarTheClusterIs(t *testing.T) {
	s := etcdtest.Start(t)
	last := mustTxn(t, newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}}), put("a", "1", 0))
	c := newClient(t, etcd.Config{Endpoints: []string{"unix:///nowhere", s.Endpoint}})
	if got, err := c.Survey(soon(t), "a"); err != nil || got.Revision != last || got.ClusterID == 0 {
		t.Errorf("the survey says %+v, %v; want revision %d", got, err, last)
	}
	s.Stop()
	alone := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	if got, err := alone.Survey(within(t, time.Second), "a"); !errors.Is(err, etcd.ErrUnavailable) {
		t.Errorf("without a server the survey says %+v, %v", got, err)
	}
}

func TestSurveyHearsContradictions(t *testing.T) {
	one, other := etcdtest.Start(t), etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{one.Endpoint, other.Endpoint}})
	got, err := c.Survey(soon(t), "a")
	if !errors.Is(err, etcd.ErrRegressed) {
		t.Fatalf("for two clusters the survey says %+v, %v", got, err)
	}
	for _, endpoint := range []string{one.Endpoint, other.Endpoint} {
		if !strings.Contains(err.Error(), endpoint+" shows revision ") {
			t.Errorf("%q does not tell what %s shows", err, endpoint)
		}
	}
}

// TestSurveyWaitsForSilentEndpointsTogether: many that are frozen or cut off take no
// longer than one.
func TestSurveyWaitsForSilentEndpointsTogether(t *testing.T) {
	well := &impostor{version: "3.7.3", revision: 7}
	endpoints := []string{silence(t), silence(t), silence(t), silence(t), silence(t), well.serve(t)}
	const try = time.Second
	c := newClient(t, etcd.Config{Endpoints: endpoints, CallTimeout: try})
	if got, err := c.Survey(within(t, 3*try), "a"); err != nil || got.Revision != 7 {
		t.Errorf("the survey says %+v, %v", got, err)
	}
}

// silence is the endpoint of a socket at which nobody answers.
func silence(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return "unix://" + path
}

// TestSurveyHearsOneClusterBeforeAndAfter: a restored member and one that was left
// out have one cluster id, and revisions that cannot follow each other by turns.
func TestSurveyHearsOneClusterBeforeAndAfter(t *testing.T) {
	after := &impostor{version: "3.7.3", revision: 7}
	before := &impostor{version: "3.7.3", revision: 16}
	for _, order := range [][]string{{after.serve(t), before.serve(t)}, {before.serve(t), after.serve(t)}} {
		c := newClient(t, etcd.Config{Endpoints: order})
		if got, err := c.Survey(soon(t), "a"); !errors.Is(err, etcd.ErrRegressed) {
			t.Errorf("the survey says %+v, %v", got, err)
		}
	}
}

// TestRaise: the revision rises as far as asked and hardly more, and nothing stays.
func TestRaise(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	to := mustTxn(t, c, put("a", "1", 0)) + 1000
	got, err := c.Raise(soon(t), "raise", to)
	if err != nil || got.Revision < to || got.Revision > to+100 {
		t.Errorf("raised to %+v, %v; want %d", got, err, to)
	}
	resp, err := c.Read(soon(t), then(get("raise")))
	if err != nil || resp.Responses[0].GetResponseRange().Count != 0 {
		t.Errorf("the key is %v, %v", resp, err)
	}
	s.Stop()
	if got, err := c.Raise(within(t, time.Second), "raise", to+1000); err != nil || got.Revision >= to+1000 {
		t.Errorf("without a server raised to %+v, %v", got, err)
	}
}
