//go:build integration && linux

package delay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"h2lab/internal/base/labtest"
)

func beside(t *testing.T, l Line) *Far {
	t.Helper()
	f, err := Beside(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// Each of two lines from one namespace has its own delay.
func TestTwoLinesAtOnce(t *testing.T) {
	addr := server(t)
	long, short := beside(t, Line{RTT: 40 * ms}), beside(t, Line{RTT: 10 * ms})
	if long.nearName == short.nearName {
		t.Fatalf("both devices are called %s", long.nearName)
	}
	for _, w := range append(within(t, long, addr, connects(40*ms)), within(t, short, addr, connects(10*ms))...) {
		t.Error(w)
	}
}

// bulk is what a client sends at once: more than the line's queue takes at its longest delay.
var bulk = bytes.Repeat([]byte("0123456789abcdef"), 1<<20)

// sendBulk is the far end of TestNoPacketOvertakesAnother: it prints whether TCP has seen reordering.
func sendBulk(addr string) error {
	c, err := net.Dial("tcp4", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write(bulk); err != nil {
		return err
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, c); err != nil { // until the server has read all
		return err
	}
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	var info *unix.TCPInfo
	var asked error
	if err := raw.Control(func(fd uintptr) {
		info, asked = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	}); err != nil || asked != nil {
		return errors.Join(err, asked)
	}
	return json.NewEncoder(os.Stdout).Encode(info.Reord_seen)
}

// While the line becomes longer and shorter, TCP sees no reordering, and every byte arrives.
func TestNoPacketOvertakesAnother(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sum := make(chan [sha256.Size]byte, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		got, _ := io.ReadAll(c)
		sum <- sha256.Sum256(got)
	}()
	f, over := beside(t, Line{}), make(chan struct{})
	changes := make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			f.Set(Line{RTT: time.Duration(n%5) * 4 * ms, Jitter: time.Duration(n%2) * ms})
			select {
			case <-over:
				changes <- n
				return
			case <-time.After(3 * ms):
			}
		}
	}()
	reordered := atFarEnd(t, f, "bulk "+l.Addr().String())
	close(over)
	if n := <-changes; n < 5 {
		t.Fatalf("the line changed %d times only", n)
	}
	if got := <-sum; got != sha256.Sum256(bulk) {
		t.Error("other bytes arrived than were sent")
	}
	if reordered != "0\n" {
		t.Errorf("TCP saw %s reordered packets", reordered)
	}
	if n := f.Counts(); n.Dropped > 0 || n.Lost > 0 {
		t.Errorf("carried %+v", n)
	}
}

// atFarEnd starts the test binary as a client at the far end and returns its output.
func atFarEnd(t *testing.T, f *Far, what string) string {
	t.Helper()
	var out, errs strings.Builder
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asClient+"="+what), &out, &errs
	if err := onThread(func() error { return f.Start(cmd) }); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return out.String()
}

// sendLarge is the far end of TestPacketsOfEverySize.
func sendLarge(addr string) error {
	c, err := net.Dial("udp4", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	got := make([]byte, 1<<16)
	for _, size := range []int{0, 1, mtu - 29, mtu - 28, mtu - 27, 4000, 60_000} {
		if _, err := c.Write(bulk[:size]); err != nil {
			return err
		}
		if n, err := c.Read(got); err != nil || n != size {
			return fmt.Errorf("%d bytes: %d came back, %v", size, n, err)
		}
	}
	if _, err := net.Dial("tcp6", "[::1]:"+strings.Split(addr, ":")[1]); !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("::1 isn't the far end's own: %v", err)
	}
	return nil
}

// The kernel splits packets that are larger than the MTU, and the line carries the parts. IPv6 stays at
// its own end.
func TestPacketsOfEverySize(t *testing.T) {
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		b := make([]byte, 1<<16)
		for {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = c.WriteTo(b[:n], from)
		}
	}()
	atFarEnd(t, beside(t, Line{RTT: 2 * ms}), "large "+c.LocalAddr().String())
}

func TestALineThatBreaksSaysWhy(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Programs)
	faults.Try("the delay line's device is removed while packets cross it", func(t *testing.T) {
		f := beside(t, Line{RTT: 2 * ms})
		if f.Err() != nil {
			t.Fatal(f.Err())
		}
		link, err := netlink.LinkByName(f.nearName)
		if err != nil {
			t.Fatal(err)
		}
		if err := netlink.LinkDel(link); err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
		_, all, _ := net.ParseCIDR("198.18.0.0/15")
		route := &netlink.Route{LinkIndex: lo.Attrs().Index, Dst: all, Scope: netlink.SCOPE_LINK}
		if err := netlink.RouteAdd(route); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = netlink.RouteDel(route) }()
		if f, err := Beside(Line{}); err == nil || !strings.Contains(err.Error(), "routes to 198.18.0.0/15") {
			t.Errorf("%v, %v", f, err)
		}
		if all, err := net.Interfaces(); err != nil || len(all) != 1 {
			t.Errorf("%v: left %+v", err, all)
		}
	})
}

// BenchmarkALineWithoutDelay is the line's ceiling: 16 connections, each of which sends a byte and waits
// for it.
func BenchmarkALineWithoutDelay(b *testing.B) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _, _ = io.Copy(c, c) }()
		}
	}()
	f, err := Beside(Line{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), fmt.Sprintf("%s=echo%d %s", asClient, b.N, l.Addr())), os.Stderr
	if err := onThread(func() error { return f.Start(cmd) }); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	n := f.Counts()
	b.ReportMetric(float64(n.Packets)/b.Elapsed().Seconds(), "packets/s")
	b.ReportMetric(float64(n.Dropped), "dropped")
}

// echo sends n bytes over 16 connections, one at a time each.
func echo(n int, addr string) error {
	ended := make(chan error)
	for i := range 16 {
		go func() {
			c, err := net.Dial("tcp4", addr)
			if err != nil {
				ended <- err
				return
			}
			defer c.Close()
			b := make([]byte, 1)
			for j := i; j < n && err == nil; j += 16 {
				if _, err = c.Write(b); err == nil {
					_, err = io.ReadFull(c, b)
				}
			}
			ended <- err
		}()
	}
	var errs error
	for range 16 {
		errs = errors.Join(errs, <-ended)
	}
	return errs
}
