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

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"

	"golang.org/x/sys/unix"
)

func beside(t *testing.T, l Line) *Far {
	t.Helper()
	f, err := Beside(l)
	labtest.Check(t, err)
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

// some of it is many large frames.
var some = bulk[:2<<20]

// sendBulk is the far end of TestNoPacketOvertakesAnother: it prints whether TCP has seen reordering.
func sendBulk(addr string, data []byte) error {
	c, err := net.Dial("tcp4", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write(data); err != nil {
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
	addr, sum := sink(t)
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
	reordered := atFarEnd(t, f, "bulk "+addr)
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
	labtest.Check(t, onThread(func() error { return f.Start(cmd) }))
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
	labtest.Check(t, err)
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

// sink reads everything that one client sends, and returns its sum.
func sink(t *testing.T) (addr string, sum <-chan [sha256.Size]byte) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	labtest.Check(t, err)
	t.Cleanup(func() { l.Close() })
	sums := make(chan [sha256.Size]byte, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		got, _ := io.ReadAll(c)
		sums <- sha256.Sum256(got)
	}()
	return l.Addr().String(), sums
}

// The kernel gives a connection's data to the line in large frames. Whether the line carries them whole or splits
// them, it counts packets of at most 1,500 bytes, and the data arrives.
func TestLargeFramesAreCountedAsPackets(t *testing.T) {
	for _, line := range []Line{{}, {RTT: ms}, {Rate: 10_000_000_000}, {Rate: 1_000_000_000}, {RTT: 2 * ms, Jitter: ms},
		{Loss: 0.01, Seed: 1}} {
		addr, sum := sink(t)
		f := beside(t, line)
		atFarEnd(t, f, "some "+addr)
		if got := <-sum; got != sha256.Sum256(some) {
			t.Errorf("%+v: other bytes arrived than were sent", line)
		}
		n := f.Counts()
		if least := int64(len(some) / (mtu - 40)); n.Packets < least || n.Bytes < int64(len(some))+40*least ||
			n.Bytes > mtu*n.Packets || n.Dropped > 0 || (n.Lost > 0) != (line.Loss > 0) {
			t.Errorf("%+v: carried %+v, want at least %d packets", line, n, least)
		}
	}
}

// BenchmarkALineWithoutDelay is the line's ceiling: 16 connections, each of which sends a byte and waits
// for it. The line's processor time for a packet includes the kernel's work on the packet's arrival, which loopback
// counts as the sender's.
func BenchmarkALineWithoutDelay(b *testing.B) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	labtest.Check(b, err)
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
	labtest.Check(b, err)
	defer f.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), fmt.Sprintf("%s=echo%d %s", asClient, b.N, l.Addr())), os.Stderr
	labtest.Check(b, onThread(func() error { return f.Start(cmd) }))
	labtest.Check(b, cmd.Wait())
	n := f.Counts()
	used, err := proc.CPUSeconds(f.Pid())
	labtest.Check(b, err)
	b.ReportMetric(1e9*used/float64(n.Packets), "cpu-ns/packet")
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
