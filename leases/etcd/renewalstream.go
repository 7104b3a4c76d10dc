package etcd

import (
	"context"
	"fmt"
	"io"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// renewalStream is one LeaseKeepAlive stream. At most one request is unanswered
// on it, so an answer can only belong to the request before it.
type renewalStream struct {
	pb.Lease_LeaseKeepAliveClient
	at     *endpoint
	cancel context.CancelFunc
}

// openStream opens a stream that lives until it is cancelled or the renewal is
// closed. The context bounds only the opening.
func (r *Renewal) openStream(ctx context.Context, e *endpoint, conn *grpc.ClientConn) (*renewalStream, error) {
	life, cancel := context.WithCancel(requireLeader(r.ctx))
	stop := context.AfterFunc(ctx, cancel)
	stream, err := pb.NewLeaseClient(conn).LeaseKeepAlive(life)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &renewalStream{stream, e, cancel}, nil
}

// ask makes one exchange on the stream.
func (s *renewalStream) ask(lease int64) (*pb.LeaseKeepAliveResponse, error) {
	if err := s.Send(&pb.LeaseKeepAliveRequest{ID: lease}); err != nil && err != io.EOF {
		return nil, err
	}
	resp, err := s.Recv() // after io.EOF this is why the stream ended
	if err != nil {
		return nil, err
	}
	if resp.ID != lease {
		return nil, fmt.Errorf("answer for lease %x", resp.ID)
	}
	return resp, nil
}

// requireLeader has a member without a leader refuse a stream, and end it once
// it has lost its leader for three election time-outs, instead of staying silent.
func requireLeader(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, rpctypes.MetadataRequireLeaderKey, rpctypes.MetadataHasLeader)
}
