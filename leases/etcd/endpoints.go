package etcd

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/grpc"
)

// endpoint is one member as the daemon reaches it.
type endpoint struct {
	url    string
	dialer dialer
	login  *login
	poke   chan struct{} // asks the monitor for a probe

	mu   sync.Mutex // guards conn
	conn *grpc.ClientConn

	view view // guarded by endpoints.mu
}

// view is what the last probe and the calls since then told of an endpoint.
type view struct {
	answered bool // a probe was answered on this connection, so the version has been looked at
	healthy  bool // the last probe was answered, and no call has failed since
	version  string
	leader   bool
	learner  bool
	member   uint64
	term     uint64
	refused  error // why the endpoint is not to be used
	err      error // why it is not healthy
}

// newEndpoint makes an endpoint that is connected when it is first used.
func newEndpoint(url string, cfg Config) (*endpoint, error) {
	e := &endpoint{
		url:   url,
		login: newLogin(cfg.Username, cfg.Password),
		poke:  make(chan struct{}, 1),
	}
	var err error
	if e.dialer, err = newDialer(url, cfg.TLS, e.login); err != nil {
		return nil, err
	}
	if e.conn, err = e.dialer.dial(); err != nil {
		return nil, fmt.Errorf("etcd endpoint %q: %w", url, err)
	}
	return e, nil
}

func (e *endpoint) connection() *grpc.ClientConn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.conn
}

// redial replaces the connection. Calls open on the old one fail.
func (e *endpoint) redial() error {
	conn, err := e.dialer.dial()
	if err != nil {
		return err
	}
	e.mu.Lock()
	old := e.conn
	e.conn = conn
	e.mu.Unlock()
	return old.Close()
}

// endpoints ranks the endpoints. The order is made anew when a view changes, so
// that a call need only pick it up.
type endpoints struct {
	all []*endpoint

	mu    sync.Mutex // guards what follows, and each view
	order []*endpoint
}

func newEndpoints(all []*endpoint) *endpoints {
	return &endpoints{all: all, order: all}
}

// ranked is the order in which to try the endpoints, which must not be changed,
// and the error to give if there is none.
func (s *endpoints) ranked() ([]*endpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.order) == 0 {
		return nil, s.noneLeftLocked()
	}
	return s.order, nil
}

// noneLeftLocked says why every endpoint is left out of the order.
func (s *endpoints) noneLeftLocked() error {
	for _, e := range s.all {
		if e.view.refused != nil {
			return e.view.refused
		}
	}
	return fmt.Errorf("%w: every endpoint is a learner", ErrUnavailable)
}

func (s *endpoints) view(e *endpoint) view {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.view
}

// update changes a view and gives it as it was before.
func (s *endpoints) update(e *endpoint, change func(*view)) (before view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = e.view
	change(&e.view)
	s.order = s.rankLocked()
	return before
}

// rankLocked puts the healthy leader first, since a follower forwards every write
// and renewal to it, then the other healthy ones, those not heard of yet, and
// those that failed. Learners serve no leases and are left out.
func (s *endpoints) rankLocked() []*endpoint {
	var term uint64
	order := make([]*endpoint, 0, len(s.all))
	for _, e := range s.all {
		if e.view.refused == nil && !e.view.learner {
			order = append(order, e)
			term = max(term, e.view.term)
		}
	}
	slices.SortStableFunc(order, func(a, b *endpoint) int {
		return cmp.Compare(a.view.rank(term), b.view.rank(term))
	})
	return order
}

// rank trusts a leader only in the newest term: one that was deposed behind a
// partition still believes in its office for a while.
func (v view) rank(term uint64) int {
	switch {
	case v.healthy && v.leader && v.term == term:
		return 0
	case v.healthy:
		return 1
	case v.err == nil:
		return 2
	}
	return 3
}
