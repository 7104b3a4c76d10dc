package etcd_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"lockside/leases/etcd"
)

// impostor answers as no real member of the version under test does: as an old
// one, or with an error that cannot be provoked.
type impostor struct {
	pb.UnimplementedKVServer
	pb.UnimplementedMaintenanceServer

	version  string
	denied   bool // Status is for root only
	learner  bool
	revision int64 // of every Range; denied if zero
	answer   error // to every Txn
	txns     atomic.Int32
}

func (s *impostor) Status(context.Context, *pb.StatusRequest) (*pb.StatusResponse, error) {
	if s.denied {
		return nil, rpctypes.ErrGRPCPermissionDenied
	}
	return &pb.StatusResponse{Header: &pb.ResponseHeader{ClusterId: 1, MemberId: 1}, Version: s.version, Leader: 1, IsLearner: s.learner}, nil
}

func (s *impostor) Range(context.Context, *pb.RangeRequest) (*pb.RangeResponse, error) {
	if s.revision > 0 {
		return &pb.RangeResponse{Header: &pb.ResponseHeader{ClusterId: 1, Revision: s.revision}}, nil
	}
	return nil, rpctypes.ErrGRPCPermissionDenied
}

func (s *impostor) Txn(context.Context, *pb.TxnRequest) (*pb.TxnResponse, error) {
	s.txns.Add(1)
	return &pb.TxnResponse{Header: &pb.ResponseHeader{ClusterId: 1, Revision: 1}}, s.answer
}

// serve gives the endpoint at which the impostor answers until the test ends.
func (s *impostor) serve(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s.serveOn(t, l, insecure.NewCredentials())
	return "unix://" + path
}

func (s *impostor) serveOn(t *testing.T, l net.Listener, creds credentials.TransportCredentials) {
	t.Helper()
	server := grpc.NewServer(grpc.Creds(creds))
	pb.RegisterKVServer(server, s)
	pb.RegisterMaintenanceServer(server, s)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := server.Serve(l); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		server.Stop()
		wg.Wait()
	})
}

// Whatever a server answers, a Txn reaches it once.
func TestTxnIsSentOnce(t *testing.T) {
	for _, answer := range []error{
		rpctypes.ErrGRPCTimeout,
		rpctypes.ErrGRPCLeaderChanged,
		rpctypes.ErrGRPCInvalidAuthToken, // and there is no user to log in
		rpctypes.ErrGRPCRequestTooManyRequests,
		status.Error(codes.Unavailable, "transport is closing"),
		status.Error(codes.Unavailable, "there is no connection available"),
		status.Error(codes.DeadlineExceeded, "context deadline exceeded"),
		status.Error(codes.Canceled, "context canceled"),
		status.Error(codes.Internal, "stream terminated"),
	} {
		s := &impostor{version: "3.7.3", answer: answer}
		other := &impostor{version: "3.7.3"}
		c := newClient(t, etcd.Config{Endpoints: []string{s.serve(t), other.serve(t)}})
		if _, err := c.Txn(soon(t), then(put("a", "1", 0))); err == nil {
			t.Errorf("a txn answered %q succeeded", answer)
		}
		if n := s.txns.Load() + other.txns.Load(); n != 1 {
			t.Errorf("a txn answered %q was sent %d times", answer, n)
		}
	}
}

func TestReadGoesOnToTheNextEndpoint(t *testing.T) {
	s := &impostor{version: "3.7.3", answer: rpctypes.ErrGRPCTimeout}
	other := &impostor{version: "3.7.3"}
	c := newClient(t, etcd.Config{Endpoints: []string{s.serve(t), other.serve(t)}})
	if _, err := c.Read(soon(t), then(get("a"))); err != nil {
		t.Error(err)
	}
	if n := s.txns.Load(); n > 1 || other.txns.Load() != 1 {
		t.Errorf("the failing endpoint was asked %d times, the other one %d times", n, other.txns.Load())
	}
}

func TestOldServersAreNotUsed(t *testing.T) {
	old := &impostor{version: "3.5.12"}
	endpoint := old.serve(t)
	c := newClient(t, etcd.Config{Endpoints: []string{endpoint}})
	for range 2 {
		_, err := c.Txn(soon(t), then(put("a", "1", 0)))
		if !errors.Is(err, etcd.ErrServerTooOld) || !strings.Contains(err.Error(), "3.5.12") {
			t.Errorf("txn gives %v, want %v", err, etcd.ErrServerTooOld)
		}
		if _, err := c.Read(soon(t), then(get("a"))); !errors.Is(err, etcd.ErrServerTooOld) {
			t.Errorf("read gives %v, want %v", err, etcd.ErrServerTooOld)
		}
	}
	if n := old.txns.Load(); n != 0 {
		t.Errorf("the old server was sent %d requests", n)
	}
	if s := c.Status().Endpoints[0]; s.Healthy || !errors.Is(s.Err, etcd.ErrServerTooOld) || s.Version != "3.5.12" {
		t.Errorf("status is %+v", s)
	}

	good := &impostor{version: "3.5.28"}
	mixed := newClient(t, etcd.Config{Endpoints: []string{endpoint, good.serve(t)}})
	if _, err := mixed.Txn(soon(t), then(put("a", "1", 0))); err != nil || good.txns.Load() != 1 {
		t.Errorf("beside a good server: %v", err)
	}
	allowed := newClient(t, etcd.Config{Endpoints: []string{endpoint}, AllowOldServers: true})
	if _, err := allowed.Txn(soon(t), then(put("a", "1", 0))); err != nil {
		t.Errorf("when allowed: %v", err)
	}
}

func TestServersThatHideTheirVersionAreUsed(t *testing.T) {
	s := &impostor{denied: true}
	c := newClient(t, etcd.Config{Endpoints: []string{s.serve(t)}})
	if _, err := c.Txn(soon(t), then(put("a", "1", 0))); err != nil {
		t.Error(err)
	}
	if s := c.Status().Endpoints[0]; !s.Healthy || s.Version != "" || s.Role != etcd.RoleUnknown {
		t.Errorf("status is %+v", s)
	}
}

func TestLearnersAreNotUsed(t *testing.T) {
	learner, good := &impostor{version: "3.7.3", learner: true}, &impostor{version: "3.7.3"}
	endpoint := learner.serve(t)
	c := newClient(t, etcd.Config{Endpoints: []string{endpoint, good.serve(t)}})
	mustTxn(t, c, put("a", "1", 0))
	if learner.txns.Load() != 0 || good.txns.Load() != 1 {
		t.Errorf("the learner was sent %d requests, the other member %d", learner.txns.Load(), good.txns.Load())
	}
	alone := newClient(t, etcd.Config{Endpoints: []string{endpoint}})
	for range 2 {
		if _, err := alone.Txn(soon(t), then(put("a", "1", 0))); !errors.Is(err, etcd.ErrUnavailable) {
			t.Errorf("with a learner alone a txn gives %v, want %v", err, etcd.ErrUnavailable)
		}
	}
}
