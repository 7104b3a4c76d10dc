package etcdtest

import "net"

// A Place is where a member runs and how it is reached. The zero Place is beside
// the test, on Unix sockets.
type Place struct {
	// Addr is the IP address at which clients and peers reach the member, at etcd's
	// usual ports.
	Addr string
	// Data is the directory for the member's data, if the test cares which.
	Data string
	// Do runs the function that starts the member's process, by which a test takes
	// it into a network namespace. Nil calls it.
	Do func(start func() error) error
}

// furnish tells a member of the place.
func (p Place) furnish(m *config) {
	if p.Addr != "" {
		m.Client, m.Peer = p.url("2379"), p.url("2380")
	}
	if p.Data != "" {
		m.Data = p.Data
	}
}

// url is where the member listens with a port of the place.
func (p Place) url(port string) string { return "http://" + net.JoinHostPort(p.Addr, port) }

func (p Place) run(start func() error) error {
	if p.Do == nil {
		return start()
	}
	return p.Do(start)
}
