package netns

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// A Host is a network namespace with one interface beside its loopback.
type Host struct {
	// Addr is the address at which the other hosts reach it.
	Addr netip.Addr

	network   *Network
	namespace *os.File
	device    *os.File // what one reads of it was sent, what one writes is received
}

// newHost makes a namespace that nobody is joined to yet.
func newHost(n *Network, addr netip.Addr) (*Host, error) {
	h := &Host{Addr: addr, network: n}
	err := Apart(func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("make a network namespace: %w", err)
		}
		if h.namespace, err = os.Open("/proc/thread-self/ns/net"); err != nil {
			return err
		}
		if h.device, err = openTun(addr); err != nil {
			return errors.Join(err, h.namespace.Close())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Do runs a function in the host's namespace. The sockets that it makes are the
// host's from then on, and so are the processes that it starts; goroutines that
// it starts are not in there.
func (h *Host) Do(do func() error) error {
	return Apart(func() error {
		if err := unix.Setns(int(h.namespace.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("enter a network namespace: %w", err)
		}
		return do()
	})
}

// Down takes the host's link away, as if the cable were pulled. What the kernel
// does then it does at once: it has no route any more.
func (h *Host) Down() error { return h.Do(func() error { return setFlags(deviceName, 0) }) }

// Up gives it back.
func (h *Host) Up() error { return h.Do(func() error { return setFlags(deviceName, unix.IFF_UP) }) }

// Apart runs a function on a thread of its own, which may leave the namespaces of
// the others. The thread ends with it, since its goroutine never lets go of it, so
// that no other code runs where it was.
func Apart(do func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine ended in a namespace")
		defer func() { done <- err }() // t.FailNow ends the goroutine
		runtime.LockOSThread()
		err = do()
	}()
	return <-done
}

// read hands each packet that the host sends to the way that it takes.
func (h *Host) read() {
	buffer := make([]byte, 1<<16)
	for {
		size, err := h.device.Read(buffer)
		if err != nil {
			return // closed
		}
		data := append([]byte(nil), buffer[:size]...)
		if to, ok := destination(data); ok {
			if w := h.network.ways[pair{h, h.network.byIP[to]}]; w != nil {
				w.send(data)
			}
		}
	}
}

// write has the host receive a packet, which is lost if its link is down.
func (h *Host) write(data []byte) { _, _ = h.device.Write(data) }

func (h *Host) close() error { return errors.Join(h.device.Close(), h.namespace.Close()) }
