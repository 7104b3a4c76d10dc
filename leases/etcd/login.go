package etcd

import (
	"context"
	"fmt"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
)

// login keeps one endpoint's authentication token and puts it on each request.
// Tokens end, with time or with any change of users and roles, so a request
// refused for its token alone is sent again after logging in anew.
type login struct {
	user, password string
	turn           chan struct{} // holds one while logging in: each login costs etcd a bcrypt and a commit

	mu    sync.Mutex // guards what follows
	valid bool
	token string
}

func newLogin(user, password string) *login {
	return &login{user: user, password: password, turn: make(chan struct{}, 1)}
}

// GetRequestMetadata adds the token to a request.
func (l *login) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == "" {
		return nil, nil
	}
	return map[string]string{rpctypes.TokenFieldNameGRPC: l.token}, nil
}

// RequireTransportSecurity allows tokens on plain connections, as etcdctl does.
func (l *login) RequireTransportSecurity() bool { return false }

// call makes a call with a token, and makes it again with a new one if the first
// was refused for its token alone.
func (l *login) call(ctx context.Context, conn *grpc.ClientConn, send func() error) error {
	token, err := l.ensure(ctx, conn)
	if err != nil {
		return err
	}
	if err = send(); !l.expire(token, err) {
		return err
	}
	if _, err = l.ensure(ctx, conn); err != nil {
		return err
	}
	return send()
}

// ensure logs in if there is a user and no token, and gives the token.
func (l *login) ensure(ctx context.Context, conn *grpc.ClientConn) (string, error) {
	if token, ok := l.current(); ok {
		return token, nil
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return "", fmt.Errorf("log in as %q: %w", l.user, ctx.Err())
	}
	if token, ok := l.current(); ok {
		return token, nil
	}
	reply, err := pb.NewAuthClient(conn).Authenticate(ctx, &pb.AuthenticateRequest{Name: l.user, Password: l.password})
	if err != nil && answer(err) != rpctypes.ErrAuthNotEnabled {
		return "", fmt.Errorf("log in as %q: %w", l.user, err)
	}
	l.set(true, reply.GetToken())
	return reply.GetToken(), nil
}

func (l *login) current() (token string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.token, l.user == "" || l.valid
}

// expire drops a token if a request was refused because of it, and reports
// whether another try may do better. A token that has been replaced since then
// stays: many requests may find out at once. Without a user, where a certificate
// names us, etcd may have met a change of users and roles half-way.
func (l *login) expire(token string, err error) bool {
	if !staleToken(err) {
		return false
	}
	if l.user == "" {
		return answer(err) == rpctypes.ErrAuthOldRevision
	}
	if now, ok := l.current(); ok && now == token {
		l.set(false, "")
	}
	return true
}

func (l *login) set(valid bool, token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.valid, l.token = valid, token
}
