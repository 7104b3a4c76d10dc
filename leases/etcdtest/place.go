package etcdtest

import "net"

// A Place is where a member runs and how it is reached. The zero Place is beside
// the test, on Unix sockets.
type Place struct {
	// Addr is the IP address at which clients and peers reach the member, at etcd's
	// usual ports.
	Addr string
	// Do runs the function that starts the member's process, by which a test takes
	// it into a network namespace. Nil calls it.
	Do func(start func() error) error
}

// url is where the member listens with a port of the place.
func (p Place) url(port string) string { return "http://" + net.JoinHostPort(p.Addr, port) }

func (p Place) run(start func() error) error {
	if p.Do == nil {
		return start()
	}
	return p.Do(start)
}
