package netns_test

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"lockside/daemon/faults/netns"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds waits for what must happen.
const patience = 30 * time.Second

// A call is a connection between two hosts, seen from both.
type call struct {
	t              *testing.T
	network        *netns.Network
	caller, called *netns.Host
	listener       net.Listener
	here, there    net.Conn
}

func newCall(t *testing.T) *call {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to make network namespaces")
	}
	n, err := netns.New(2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &call{t: t, network: n, caller: n.Hosts()[0], called: n.Hosts()[1]}
	c.must(c.called.Do(func() (err error) {
		c.listener, err = net.Listen("tcp", netip.AddrPortFrom(c.called.Addr, 1000).String())
		return err
	}))
	t.Cleanup(func() { c.listener.Close() })
	conn, err := c.dial(patience)
	c.must(err)
	c.here = conn
	c.there, err = c.listener.Accept()
	c.must(err)
	t.Cleanup(func() { c.here.Close(); c.there.Close() })
	return c
}

func (c *call) dial(within time.Duration) (conn net.Conn, err error) {
	err = c.caller.Do(func() (err error) {
		conn, err = net.DialTimeout("tcp", c.listener.Addr().String(), within)
		return err
	})
	return conn, err
}

func (c *call) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// says has one end send a byte, and the other wait for it.
func (c *call) says(from, to net.Conn, within time.Duration) error {
	c.t.Helper()
	if _, err := from.Write([]byte{'x'}); err != nil {
		return err
	}
	c.must(to.SetReadDeadline(time.Now().Add(within)))
	_, err := io.ReadFull(to, make([]byte, 1))
	return err
}

// both reports what is said each way.
func (c *call) both() {
	c.t.Helper()
	c.must(c.says(c.here, c.there, patience))
	c.must(c.says(c.there, c.here, patience))
}

// lost holds that nothing comes of what is said.
func (c *call) lost(from, to net.Conn) {
	c.t.Helper()
	if err := c.says(from, to, 100*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Errorf("what should be lost: %v", err)
	}
}

func (c *call) link(l netns.Link) {
	c.network.Between(l, []*netns.Host{c.caller}, []*netns.Host{c.called})
}

func TestHostsReachEachOther(t *testing.T) { newCall(t).both() }

func TestDropAndHeal(t *testing.T) {
	c := newCall(t)
	c.link(netns.Link{Loss: 1})
	c.lost(c.here, c.there)
	_, err := c.dial(100 * time.Millisecond)
	if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
		t.Errorf("a call to nobody: %v", err)
	}
	c.network.Heal()
	c.must(c.says(c.there, c.here, patience))
}

func TestOneWayLoss(t *testing.T) {
	c := newCall(t)
	c.network.Set(netns.Link{Loss: 1}, []*netns.Host{c.called}, []*netns.Host{c.caller})
	c.must(c.says(c.here, c.there, patience))
	c.lost(c.there, c.here)
}

func TestReject(t *testing.T) {
	c := newCall(t)
	c.link(netns.Link{Reject: true})
	if err := c.says(c.here, c.here, patience); !errors.Is(err, unix.ECONNRESET) {
		t.Errorf("what is refused: %v", err)
	}
	if _, err := c.dial(patience); !errors.Is(err, unix.ECONNREFUSED) {
		t.Errorf("a call that is refused: %v", err)
	}
}

func TestDelay(t *testing.T) {
	c := newCall(t)
	const delay = 100 * time.Millisecond
	c.link(netns.Link{Delay: delay})
	for range 3 {
		began := time.Now()
		c.both()
		if took := time.Since(began); took < 2*delay {
			t.Errorf("there and back took %v", took)
		}
	}
}

func TestLossIsMadeGoodByTCP(t *testing.T) {
	c := newCall(t)
	c.link(netns.Link{Loss: 0.3})
	for range 10 {
		c.both()
	}
}

func TestLinkDown(t *testing.T) {
	c := newCall(t)
	c.must(c.caller.Down())
	if _, err := c.dial(patience); !errors.Is(err, unix.ENETUNREACH) {
		t.Errorf("a call without a link: %v", err)
	}
	c.lost(c.there, c.here)
	c.must(c.caller.Up())
	c.must(c.says(c.here, c.there, patience))
}
