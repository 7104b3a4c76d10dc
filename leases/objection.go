package leases

import (
	"strings"
	"time"

	"lockside/leases/etcd"
)

// An objection is why etcd does not do what a lock takes although it can be reached:
// it lets this host in as nobody, or takes nothing more in. Without one, it just does
// not answer. Users are told, since waiting does not help.
type objection struct {
	words string
	since time.Duration // on the boot clock
}

// objectionLife is how long an objection is told: for longer than it takes until a
// lease or an epoch, without which there is no lock, is asked for again.
const objectionLife = 10 * time.Second

// noHandshake is the objection of a TLS connection that does not come about. The log
// says which certificate is meant.
const noHandshake = "the certificate of etcd, or of this host, is refused"

// object notes an objection to what a lock takes, in etcd's own words.
func (s *Service) object(err error) {
	if words := etcd.Objection(err); words != "" {
		s.objected.Store(&objection{words, s.clock.Now()})
	}
}

// Objection is why etcd does not do what a lock takes, for users to read, and empty if
// it does or does not answer at all.
func (s *Service) Objection() string {
	if o := s.objected.Load(); o != nil && s.clock.Now()-o.since < objectionLife {
		return o.words
	}
	return handshake(s.etcd.Status().Endpoints)
}

// handshake is the objection of endpoints none of which can be used, if there is one.
func handshake(endpoints []etcd.EndpointStatus) string {
	var found string
	for _, e := range endpoints {
		switch {
		case e.Healthy:
			return ""
		case e.Err != nil && (strings.Contains(e.Err.Error(), "tls: ") || strings.Contains(e.Err.Error(), "x509: ")):
			found = noHandshake
		}
	}
	return found
}
