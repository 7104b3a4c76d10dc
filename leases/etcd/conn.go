package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// dialer makes connections to one endpoint.
type dialer struct {
	target string
	opts   []grpc.DialOption
}

// newDialer reads an endpoint as etcdctl does and fails only if it makes no sense.
func newDialer(endpoint string, config *tls.Config, token credentials.PerRPCCredentials) (dialer, error) {
	target, secure, err := parseEndpoint(endpoint, config != nil)
	if err != nil {
		return dialer{}, err
	}
	creds := insecure.NewCredentials()
	if secure {
		creds = credentials.NewTLS(config)
	}
	return dialer{target, append(dialOptions(), grpc.WithTransportCredentials(creds), grpc.WithPerRPCCredentials(token))}, nil
}

// dial makes a connection, which is established when it is first used.
func (d dialer) dial() (*grpc.ClientConn, error) { return grpc.NewClient(d.target, d.opts...) }

// window is how much a member may send ahead of our reading. That it is fixed
// keeps gRPC from measuring the connection: its pings, one with nearly every
// reply, took as long to serve as a tenth of a Put on an idle host.
const window = 4 << 20

// dialOptions make a connection give up on a dead peer, and come back to a living
// one, in seconds. Pings go out only while a call is open and nothing has been
// read for 10 s, which the probes prevent as long as the member answers, so a
// server has no reason to complain of too many of them.
//
// Replies are not limited: a reply refused here would belong to a request that
// was served, and the error is the same as for a request that was not.
func dialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 3 * time.Second}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: 3 * time.Second,
		}),
		grpc.WithStaticStreamWindowSize(window),
		grpc.WithStaticConnWindowSize(window),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
	}
}

// parseEndpoint turns an etcd client URL into a gRPC target. Names are looked up
// at each connect ("passthrough"), so that a member may move.
func parseEndpoint(endpoint string, haveTLS bool) (target string, secure bool, err error) {
	scheme, rest, ok := strings.Cut(endpoint, "://")
	if !ok {
		scheme, rest = "", endpoint
	}
	switch scheme {
	case "unix", "unixs":
		if rest == "" {
			return "", false, fmt.Errorf("etcd endpoint %q: no socket path", endpoint)
		}
		return "unix:" + rest, scheme == "unixs", nil
	case "http", "https", "":
		host, err := hostPort(rest)
		if err != nil {
			return "", false, fmt.Errorf("etcd endpoint %q: %w", endpoint, err)
		}
		return "passthrough:///" + host, scheme == "https" || scheme == "" && haveTLS, nil
	}
	return "", false, fmt.Errorf("etcd endpoint %q: scheme must be http, https, unix or unixs", endpoint)
}

func hostPort(s string) (string, error) {
	u, err := url.Parse("http://" + s)
	if err != nil {
		return "", err
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return "", errors.New("must be host:port and nothing else")
	}
	if host, port, err := net.SplitHostPort(u.Host); err != nil || host == "" || port == "" {
		return "", errors.New("must be host:port, such as 127.0.0.1:2379")
	}
	return u.Host, nil
}

// errNotConnected is returned when there is no connection to send a request on.
var errNotConnected = errors.New("not connected")

// connected waits for a connection to be up. While it is not, nothing can have
// been sent on it.
func connected(ctx context.Context, conn *grpc.ClientConn) error {
	for {
		state := conn.GetState()
		switch state {
		case connectivity.Ready:
			return nil
		case connectivity.Idle:
			conn.Connect()
		case connectivity.TransientFailure, connectivity.Shutdown:
			return errNotConnected
		}
		if !conn.WaitForStateChange(ctx, state) {
			return fmt.Errorf("%w: %w", errNotConnected, context.Cause(ctx))
		}
	}
}
