//go:build integration && linux

package delay

import (
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/vishvananda/netlink"

	"h2lab/internal/base/labtest"
)

// When the program has ended, by whatever end, its line ends and leaves no device.
func TestALineEndsWithItsProgram(t *testing.T) {
	f := beside(t, Line{RTT: 40 * ms})
	f.carrier.requests.Close() // as the kernel does when the program is killed
	<-f.Broken()
	if f.carrier.process.Alive() {
		t.Error("the carrier runs")
	}
	if all, err := net.Interfaces(); err != nil || len(all) != 1 {
		t.Errorf("%v: left %+v", err, all)
	}
}

func TestALineThatBreaksSaysWhy(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Programs)
	faults.Try("the process that carries the delay line's packets is killed", func(t *testing.T) {
		f := beside(t, Line{RTT: 2 * ms})
		before := f.Counts()
		f.carrier.process.Signal(syscall.SIGKILL)
		<-f.Broken()
		if err := f.Err(); err == nil || !strings.Contains(err.Error(), "was ended by signal 9 (killed)") {
			t.Errorf("%v", err)
		}
		f.Set(Line{})
		if after := f.Counts(); before.Packets == 0 || after != before {
			t.Errorf("counted %+v before and %+v after", before, after)
		}
	})
	faults.Try("the delay line's device is removed while packets cross it", func(t *testing.T) {
		f := beside(t, Line{RTT: 2 * ms})
		if f.Err() != nil {
			t.Fatal(f.Err())
		}
		link, err := netlink.LinkByName(f.nearName)
		labtest.Check(t, err)
		labtest.Check(t, netlink.LinkDel(link))
		<-f.Broken()
		if err := f.Err(); err == nil || !strings.Contains(err.Error(), "the delay line can't") {
			t.Errorf("%v", err)
		}
		if err := f.Start(exec.Command("true")); err == nil || err.Error() != f.Err().Error() {
			t.Errorf("a broken line starts a client: %v", err)
		}
	})
	faults.Try("this machine has routes to every address that the delay line could have", func(t *testing.T) {
		lo, err := netlink.LinkByName("lo")
		labtest.Check(t, err)
		_, all, _ := net.ParseCIDR("198.18.0.0/15")
		route := &netlink.Route{LinkIndex: lo.Attrs().Index, Dst: all, Scope: netlink.SCOPE_LINK}
		labtest.Check(t, netlink.RouteAdd(route))
		defer func() { _ = netlink.RouteDel(route) }()
		if f, err := Beside(Line{}); err == nil || !strings.Contains(err.Error(), "routes to 198.18.0.0/15") {
			t.Errorf("%v, %v", f, err)
		}
		if all, err := net.Interfaces(); err != nil || len(all) != 1 {
			t.Errorf("%v: left %+v", err, all)
		}
	})
}
