package netns

import (
	"errors"
	"net/netip"
	"sync"
	"time"
)

// A Network is a number of hosts, each of which reaches every other until a test
// says otherwise. Its methods may be called concurrently.
type Network struct {
	hosts []*Host
	ways  map[pair]*way
	byIP  map[netip.Addr]*Host

	closing chan struct{}
	wait    sync.WaitGroup // readers of hosts, and ways
}

// A pair is a direction.
type pair struct{ from, to *Host }

// A Link is what becomes of the packets from one host to another. The zero Link
// delivers them.
type Link struct {
	// Loss is the share of packets that are lost: none at 0, all at 1.
	Loss float64
	// Delay is how long each packet takes. Those on their way when it is changed
	// are not affected.
	Delay time.Duration
	// Reject has TCP segments answered with a reset, which the sender takes to be
	// from the other host. It is what a firewall's REJECT does at its harshest.
	Reject bool
}

// New makes a network of so many hosts, at most 254, which lasts until Close. It
// fails with unix.EPERM for who is not root, or is root of too little, and with
// fs.ErrNotExist without /dev/net/tun.
func New(hosts int) (*Network, error) {
	n := &Network{ways: map[pair]*way{}, byIP: map[netip.Addr]*Host{}, closing: make(chan struct{})}
	for i := range hosts {
		h, err := newHost(n, netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}))
		if err != nil {
			return nil, errors.Join(err, n.Close())
		}
		n.hosts = append(n.hosts, h)
		n.byIP[h.Addr] = h
	}
	n.start()
	return n, nil
}

// start joins all hosts.
func (n *Network) start() {
	for _, from := range n.hosts {
		for _, to := range n.hosts {
			if from != to {
				w := newWay(from, to)
				n.ways[pair{from, to}] = w
				n.wait.Go(func() { w.carry(n.closing) })
			}
		}
	}
	for _, h := range n.hosts {
		n.wait.Go(h.read)
	}
}

// Close ends the network. Processes in it go on, and reach nobody.
func (n *Network) Close() error {
	close(n.closing)
	var errs []error
	for _, h := range n.hosts {
		errs = append(errs, h.close())
	}
	n.wait.Wait()
	return errors.Join(errs...)
}

// Hosts are all hosts.
func (n *Network) Hosts() []*Host { return n.hosts }

// Set changes the way of packets from each of some hosts to each of others. The
// way back stays as it is.
func (n *Network) Set(l Link, from, to []*Host) {
	for _, a := range from {
		for _, b := range to {
			if w := n.ways[pair{a, b}]; w != nil {
				w.set(l)
			}
		}
	}
}

// Between changes the ways from each of some hosts to each of others, and back.
func (n *Network) Between(l Link, some, others []*Host) {
	n.Set(l, some, others)
	n.Set(l, others, some)
}

// Heal has every packet delivered again.
func (n *Network) Heal() { n.Set(Link{}, n.hosts, n.hosts) }
