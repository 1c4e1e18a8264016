package delay

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The devices and their addresses, of the range for benchmarks (RFC 2544, 198.18.0.0/15). No packet
// with them leaves the two namespaces.
const (
	nearDevice, nearAddress = "h2lab-near", "198.18.0.1/30"
	farDevice, farAddress   = "h2lab-far", "198.18.0.2/30"
)

// queueLength is how many packets a device keeps for a line that is late; a TUN device has 500 by
// default.
const queueLength = 10_000

// openTUN makes a TUN device in the namespace of this thread and returns its file descriptor.
func openTUN(name, address string) (fd int, err error) {
	if fd, err = unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return -1, fmt.Errorf("/dev/net/tun: %w", err)
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	request, err := unix.NewIfreq(name)
	if err != nil {
		return -1, err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return -1, fmt.Errorf("a TUN device: %w", err)
	}
	return fd, configure(name, address)
}

// configure sets a device up and lets it carry packets to and from 127.0.0.1, which the kernel otherwise
// takes for forged ones (its documentation of ip-sysctl: route_localnet, accept_local).
func configure(name, address string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("the device %s: %w", name, err)
	}
	addr, err := netlink.ParseAddr(address)
	if err != nil {
		return err
	}
	setting := func(name string) error {
		return os.WriteFile("/proc/sys/net/ipv4/conf/"+link.Attrs().Name+"/"+name, []byte("1"), 0)
	}
	err = errors.Join(netlink.LinkSetMTU(link, mtu), netlink.LinkSetTxQLen(link, queueLength),
		netlink.AddrAdd(link, addr), netlink.LinkSetUp(link), setting("route_localnet"), setting("accept_local"))
	if err != nil {
		return fmt.Errorf("the device %s: %w", name, err)
	}
	return nil
}

// farRoutes make 127.0.0.1 the other end of the line, in the namespace of this thread.
func farRoutes() error {
	if err := raiseLoopback(); err != nil {
		return err
	}
	link, err := netlink.LinkByName(farDevice)
	if err != nil {
		return err
	}
	source, _, err := net.ParseCIDR(farAddress)
	if err != nil {
		return err
	}
	here := &net.IPNet{IP: net.IPv4(127, 0, 0, 1), Mask: net.CIDRMask(32, 32)}
	own, err := netlink.RouteListFiltered(netlink.FAMILY_V4, &netlink.Route{Table: unix.RT_TABLE_LOCAL, Dst: here},
		netlink.RT_FILTER_TABLE|netlink.RT_FILTER_DST)
	if err != nil {
		return fmt.Errorf("the routes of the far namespace: %w", err)
	}
	for _, r := range own {
		if err := netlink.RouteDel(&r); err != nil {
			return fmt.Errorf("the route of 127.0.0.1: %w", err)
		}
	}
	err = netlink.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: here, Src: source,
		Table: unix.RT_TABLE_LOCAL, Scope: netlink.SCOPE_LINK})
	if err != nil {
		return fmt.Errorf("a route of 127.0.0.1 to the other end of the line: %w", err)
	}
	return nil
}

// raiseLoopback sets lo up in the namespace of this thread; in a new namespace it is down.
func raiseLoopback() error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("the device lo: %w", err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("the device lo: %w", err)
	}
	return nil
}
