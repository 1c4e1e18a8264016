package delay

import (
	"fmt"
	"net"
	"os"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// The names of the devices. The kernel replaces %d by the next free number, so several lines may have
// their near ends in one namespace.
const (
	nearDevices = "h2lab-near%d"
	farDevice   = "h2lab-far"
)

// queueLength is how many packets a device keeps for a line that is late; a TUN device has 500 by
// default.
const queueLength = 10_000

// openTUN makes a TUN device in the namespace of this thread. The device exists until its file
// descriptor is closed.
func openTUN(name string) (device *os.File, link netlink.Link, err error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	device = os.NewFile(uintptr(fd), "/dev/net/tun")
	defer func() {
		if err != nil {
			device.Close()
		}
	}()
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, nil, err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI | unix.IFF_VNET_HDR)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return nil, nil, fmt.Errorf("a TUN device: %w", err)
	}
	// With these the kernel neither splits a connection's data into packets nor computes checksums for them:
	// both ends are on one machine. A kernel without them does both, and the line carries that, too.
	_ = unix.IoctlSetInt(fd, unix.TUNSETOFFLOAD, unix.TUN_F_CSUM|unix.TUN_F_TSO4|unix.TUN_F_TSO_ECN)
	link, err = netlink.LinkByName(request.Name())
	return device, link, err
}

// configure gives a device its address, sets it up and lets it carry packets to and from 127.0.0.1,
// which the kernel otherwise takes for forged ones.
func configure(link netlink.Link, address *net.IPNet) error {
	for _, step := range []func() error{
		func() error { return netlink.LinkSetMTU(link, mtu) },
		func() error { return netlink.LinkSetTxQLen(link, queueLength) },
		func() error { return netlink.AddrAdd(link, &netlink.Addr{IPNet: address}) },
		func() error { return netlink.LinkSetUp(link) },
		func() error { return allowLoopback(link) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("the device %s: %w", link.Attrs().Name, err)
		}
	}
	return nil
}

// Numbers of a device's settings in <linux/ip.h>; the kernel's ip-sysctl documentation describes them.
const (
	acceptLocal   = 23 // IPV4_DEVCONF_ACCEPT_LOCAL
	routeLocalnet = 26 // IPV4_DEVCONF_ROUTE_LOCALNET
)

// allowLoopback switches route_localnet and accept_local of one device on. /proc/sys does the same, but
// is read-only in containers.
func allowLoopback(link netlink.Link) error {
	request := nl.NewNetlinkRequest(unix.RTM_SETLINK, unix.NLM_F_ACK)
	message := nl.NewIfInfomsg(unix.AF_UNSPEC)
	message.Index = int32(link.Attrs().Index)
	request.AddData(message)
	families := nl.NewRtAttr(unix.IFLA_AF_SPEC, nil)
	settings := families.AddRtAttr(unix.AF_INET, nil).AddRtAttr(unix.IFLA_INET_CONF, nil)
	settings.AddRtAttr(acceptLocal, nl.Uint32Attr(1))
	settings.AddRtAttr(routeLocalnet, nl.Uint32Attr(1))
	request.AddData(families)
	_, err := request.Execute(unix.NETLINK_ROUTE, 0)
	return err
}

// routes are the destinations that the namespace of this thread has routes to, without the default ones.
func routes() (out []*net.IPNet, err error) {
	all, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		return nil, fmt.Errorf("the routes of this machine: %w", err)
	}
	for _, r := range all {
		if r.Dst == nil {
			continue
		}
		if ones, _ := r.Dst.Mask.Size(); ones > 0 {
			out = append(out, r.Dst)
		}
	}
	return out, nil
}

// farRoutes make 127.0.0.1 the other end of the line, in the namespace of this thread.
func farRoutes(link netlink.Link, source net.IP) error {
	if err := raiseLoopback(); err != nil {
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
