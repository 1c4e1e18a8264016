package delay

import (
	"errors"
	"net"
)

// ends are the addresses of the two ends of line n of a namespace: the n-th four addresses of a range that
// RFC 2544 reserves for benchmarks (198.18.0.0/15). Other programs, such as proxies of a whole machine's traffic,
// use parts of this range too, so ends skips those that the namespace has routes to.
func ends(n int, routes []*net.IPNet) (near, far *net.IPNet, err error) {
	for _, second := range []byte{18, 19} {
		if n > 1<<14-1 {
			break
		}
		first := net.IPv4(198, second, byte(n>>6), byte(n<<2)).To4()
		mask := net.CIDRMask(30, 32)
		if overlaps(&net.IPNet{IP: first, Mask: mask}, routes) {
			continue
		}
		at := func(i byte) *net.IPNet {
			return &net.IPNet{IP: net.IPv4(first[0], first[1], first[2], first[3]+i).To4(), Mask: mask}
		}
		return at(1), at(2), nil
	}
	return nil, nil, errors.New("this machine has routes to 198.18.0.0/15, which RFC 2544 reserves for benchmarks " +
		"and of which the delay line needs four addresses; see them with: ip route")
}

// overlaps reports whether one of the routes leads to an address of the range.
func overlaps(x *net.IPNet, routes []*net.IPNet) bool {
	for _, r := range routes {
		if r.Contains(x.IP) || x.Contains(r.IP) {
			return true
		}
	}
	return false
}
