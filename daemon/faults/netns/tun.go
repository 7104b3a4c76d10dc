package netns

import (
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// deviceName is the same in every namespace.
const deviceName = "test0"

// openTun makes the interface of the namespace that the thread is in, and brings
// it and the loopback up.
func openTun(addr netip.Addr) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/dev/net/tun", Err: err}
	}
	if err := configure(fd, addr); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "/dev/net/tun"), nil
}

// configure does what `ip tuntap`, `ip address` and `ip link` do; see tun(4) and
// netdevice(7).
func configure(fd int, addr netip.Addr) error {
	request, err := unix.NewIfreq(deviceName)
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return fmt.Errorf("make a TUN device: %w", err)
	}
	if err := setAddress(unix.SIOCSIFADDR, addr); err != nil {
		return fmt.Errorf("set the address %v: %w", addr, err)
	}
	if err := setAddress(unix.SIOCSIFNETMASK, netip.AddrFrom4([4]byte{255, 255, 255, 0})); err != nil {
		return fmt.Errorf("set the network's size: %w", err)
	}
	for _, name := range []string{"lo", deviceName} {
		if err := setFlags(name, unix.IFF_UP); err != nil {
			return err
		}
	}
	return nil
}

func setAddress(call uint, addr netip.Addr) error {
	request, err := unix.NewIfreq(deviceName)
	if err != nil {
		return err
	}
	if err := request.SetInet4Addr(addr.AsSlice()); err != nil {
		return err
	}
	return control(call, request)
}

func setFlags(name string, flags uint16) error {
	request, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	request.SetUint16(flags)
	if err := control(unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("set the flags of %s: %w", name, err)
	}
	return nil
}

// control makes a call about an interface, for which any socket will do.
func control(call uint, request *unix.Ifreq) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.IoctlIfreq(fd, call, request)
}
