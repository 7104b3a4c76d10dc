package embedded

import (
	"context"

	"google.golang.org/grpc"
)

// streams ends the streams of all clients at once: their contexts are done with
// its own. Etcd's handlers watch the context of their stream.
type streams struct {
	ctx context.Context
	end context.CancelFunc
}

func newStreams() *streams {
	ctx, cancel := context.WithCancel(context.Background())
	return &streams{ctx, cancel}
}

// intercept gives each stream a context that ends with the streams.
func (s *streams) intercept(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	stop := context.AfterFunc(s.ctx, cancel)
	defer stop()
	return handle(server, &endingStream{stream, ctx})
}

// endingStream is a stream with another context.
type endingStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *endingStream) Context() context.Context { return s.ctx }
