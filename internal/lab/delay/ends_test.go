package delay

import (
	"net"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestEndsOfLines(t *testing.T) {
	for _, c := range []struct {
		n              int
		routes         string
		near, far, err string
	}{
		{0, "", "198.18.0.1/30", "198.18.0.2/30", ""},
		{0, "192.168.0.0/16 127.0.0.0/8", "198.18.0.1/30", "198.18.0.2/30", ""},
		{1, "198.18.0.0/30", "198.18.0.5/30", "198.18.0.6/30", ""},
		{64, "", "198.18.1.1/30", "198.18.1.2/30", ""},
		{1<<14 - 1, "", "198.18.255.253/30", "198.18.255.254/30", ""},
		{0, "198.18.0.0/16", "198.19.0.1/30", "198.19.0.2/30", ""}, // a proxy for the whole machine
		{2, "198.18.0.9/32", "198.19.0.9/30", "198.19.0.10/30", ""},
		{0, "198.18.0.0/15", "", "", "routes to 198.18.0.0/15"},
		{1 << 14, "", "", "", "routes to 198.18.0.0/15"},
	} {
		var routes []*net.IPNet
		for _, r := range strings.Fields(c.routes) {
			_, x, err := net.ParseCIDR(r)
			labtest.Check(t, err)
			routes = append(routes, x)
		}
		near, far, err := ends(c.n, routes)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("line %d, routes %s: %v %v %v", c.n, c.routes, near, far, err)
			}
			continue
		}
		if err != nil || near.String() != c.near || far.String() != c.far {
			t.Errorf("line %d, routes %s: %v %v %v", c.n, c.routes, near, far, err)
		}
	}
}
