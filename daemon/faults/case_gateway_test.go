package faults_test

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // registers it
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
)

// A gateway stands between daemons and a member as a relay does, but knows one call
// from another. Its functions may be nil, are called by many goroutines, and hold a
// message up for as long as they take.
type gateway struct {
	request func(method string, message []byte)
	answer  func(method string, message []byte) []byte // what is handed on

	conn  *grpc.ClientConn
	pumps sync.WaitGroup
}

// start carries until the test ends, and returns what daemons are told in place of the
// member's endpoint.
func (g *gateway) start(t testing.TB, endpoint string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gw")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	g.conn, err = grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(asItIs{}), grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.ForceServerCodec(asItIs{}), grpc.UnknownServiceHandler(g.carry), grpc.WaitForHandlers(true))
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		server.Stop()
		serving.Wait()
		g.pumps.Wait()
		g.conn.Close()
	})
	return "unix://" + path
}

// carry serves one call.
func (g *gateway) carry(_ any, near grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(near)
	ctx := near.Context()
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		ctx = metadata.NewOutgoingContext(ctx, md)
	}
	far, err := g.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
	if err != nil {
		return err
	}
	g.pumps.Go(func() {
		for message := []byte(nil); near.RecvMsg(&message) == nil; {
			if g.request != nil {
				g.request(method, message)
			}
			if far.SendMsg(&message) != nil {
				return // carry learns why
			}
		}
		_ = far.CloseSend()
	})
	for {
		var message []byte
		if err := far.RecvMsg(&message); err != nil {
			near.SetTrailer(far.Trailer())
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if g.answer != nil {
			message = g.answer(method, message)
		}
		if err := near.SendMsg(&message); err != nil {
			return err
		}
	}
}

// asItIs is the codec of messages that nobody looks into.
type asItIs struct{}

func (asItIs) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (asItIs) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

func (asItIs) Name() string { return "proto" }

// decode reads a message of etcd's.
func decode[M any](t testing.TB, message []byte) *M {
	m := new(M)
	if err := encoding.GetCodecV2("proto").Unmarshal(mem.BufferSlice{mem.SliceBuffer(message)}, m); err != nil {
		t.Errorf("decode %T: %v", m, err)
	}
	return m
}

// encode writes a message of etcd's.
func encode(t testing.TB, m any) []byte {
	data, err := encoding.GetCodecV2("proto").Marshal(m)
	if err != nil {
		t.Errorf("encode %T: %v", m, err)
	}
	return data.Materialize()
}
