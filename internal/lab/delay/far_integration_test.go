//go:build integration && linux

package delay

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"h2lab/internal/base/labtest"
)

// asClient makes the test binary a client at the far end.
const asClient = "H2LAB_TEST_CLIENT"

func TestMain(m *testing.M) {
	if as := os.Getenv(asClient); as != "" {
		if err := client(as); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if !Entered() {
		fmt.Fprintln(os.Stderr, Enter())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// seen is what a client at the far end measures: the least time of several tries, since other programs
// can only add to it.
type seen struct{ Connect, TLS12, TLS13 time.Duration }

// client is a client at the far end: what it does, and the server's address.
func client(as string) error {
	what, addr, _ := strings.Cut(as, " ")
	switch what {
	case "handshakes":
		return handshakes(addr)
	case "bulk":
		return sendBulk(addr, bulk)
	case "some":
		return sendBulk(addr, some)
	case "large":
		return sendLarge(addr)
	}
	return fmt.Errorf("%q is nothing to do", as)
}

func handshakes(addr string) error {
	best := seen{time.Hour, time.Hour, time.Hour}
	for range 3 {
		for version, into := range map[uint16]*time.Duration{tls.VersionTLS12: &best.TLS12, tls.VersionTLS13: &best.TLS13} {
			began := time.Now()
			c, err := net.DialTimeout("tcp", addr, 5*time.Second)
			if err != nil {
				return err
			}
			best.Connect = min(best.Connect, time.Since(began))
			began = time.Now()
			s := tls.Client(c, &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version})
			if err := s.Handshake(); err != nil {
				return err
			}
			*into = min(*into, time.Since(began))
			s.Close()
		}
	}
	return json.NewEncoder(os.Stdout).Encode(best)
}

// server answers TLS handshakes on 127.0.0.1 and returns its address.
func server(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	labtest.Check(t, err)
	cert := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	labtest.Check(t, err)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	labtest.Check(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(io.Discard, c)
			}()
		}
	}()
	return l.Addr().String()
}

// far starts the test binary at the far end and returns what it printed.
func far(t *testing.T, f *Far, addr string) seen {
	t.Helper()
	var s seen
	labtest.Check(t, json.Unmarshal([]byte(atFarEnd(t, f, "handshakes "+addr)), &s))
	return s
}

// within lets clients try again while something is wrong with the least times so far: other programs on a
// busy machine make times longer, and never shorter.
func within(t *testing.T, f *Far, addr string, check func(seen) []string) (wrong []string) {
	t.Helper()
	best := far(t, f, addr)
	for range 12 {
		if wrong = check(best); len(wrong) == 0 {
			return nil
		}
		more := far(t, f, addr)
		best = seen{min(best.Connect, more.Connect), min(best.TLS12, more.TLS12), min(best.TLS13, more.TLS13)}
	}
	return check(best)
}

// connects is whether a connect takes a round trip, and not 3 ms longer.
func connects(rtt time.Duration) func(seen) []string {
	return func(got seen) []string {
		if got.Connect < rtt || got.Connect > rtt+3*ms {
			return []string{fmt.Sprintf("a connect over %s takes %s", rtt, got.Connect)}
		}
		return nil
	}
}

// TCP's handshake takes one round trip, TLS 1.3's one more, TLS 1.2's two more, also after the line has
// changed between two clients.
func TestRoundTripsOfHandshakes(t *testing.T) {
	addr := server(t)
	f, err := Open(Line{RTT: 80 * ms})
	labtest.Check(t, err)
	defer f.Close()
	for _, rtt := range []time.Duration{80 * ms, 5 * ms, 20 * ms} {
		t.Run(rtt.String(), func(t *testing.T) {
			f.Set(Line{RTT: rtt})
			wrong := within(t, f, addr, func(got seen) (wrong []string) {
				for name, c := range map[string]struct{ got, want, work time.Duration }{
					"connect": {got.Connect, rtt, 0},
					// The two programs' own work on keys and certificates is no part of the distance.
					"TLS 1.3": {got.TLS13, rtt, 5 * ms},
					"TLS 1.2": {got.TLS12, 2 * rtt, 5 * ms},
				} {
					if most := c.want + c.want/20 + ms/2 + c.work; c.got < c.want || c.got > most {
						wrong = append(wrong, fmt.Sprintf("%s took %s, want %s to %s", name, c.got, c.want, most))
					}
				}
				return wrong
			})
			for _, w := range wrong {
				t.Error(w)
			}
			if n := f.Counts(); n.Packets == 0 || n.Dropped > 0 || n.Lost > 0 {
				t.Errorf("carried %+v", n)
			}
		})
	}
}

// Only a line that holds packets interrupts other programs.
func TestAHoldingLineIsPrompt(t *testing.T) {
	f, err := Open(Line{})
	labtest.Check(t, err)
	defer f.Close()
	for _, c := range []struct {
		line   Line
		policy uint32
	}{
		{Line{}, unix.SCHED_BATCH},
		{Line{RTT: 20 * ms}, unix.SCHED_NORMAL},
		{Line{Rate: 10_000_000_000, Loss: 0.01}, unix.SCHED_BATCH},
		{Line{Rate: 1_000_000}, unix.SCHED_NORMAL},
	} {
		f.Set(c.line)
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", f.Pid()))
		if err != nil || len(threads) < 3 {
			t.Fatalf("%d threads, %v", len(threads), err)
		}
		for _, thread := range threads {
			id, _ := strconv.Atoi(thread.Name())
			a, err := unix.SchedGetAttr(id, 0)
			labtest.Check(t, err)
			if a.Policy == unix.SCHED_IDLE {
				continue // as the user has started this test
			}
			if a.Policy != c.policy || a.Nice != carrierNice {
				t.Errorf("%+v: thread %d has policy %d and nice value %d", c.line, id, a.Policy, a.Nice)
			}
		}
	}
}

// Without a delay the line is a wire.
func TestALineOfNoDelay(t *testing.T) {
	f, err := Open(Line{})
	labtest.Check(t, err)
	defer f.Close()
	for _, w := range within(t, f, server(t), connects(0)) {
		t.Error(w)
	}
	if err := f.Err(); err != nil {
		t.Error(err)
	}
}

// A lost packet of a handshake comes again after TCP's second, and no handshake fails.
func TestLostPacketsAreCounted(t *testing.T) {
	f, err := Open(Line{Loss: 0.02, Seed: 3})
	labtest.Check(t, err)
	defer f.Close()
	addr := server(t)
	for range 20 { // how many packets there are is up to TCP
		if far(t, f, addr); f.Counts().Lost > 0 {
			return
		}
	}
	t.Errorf("carried %+v", f.Counts())
}

// A closed line leaves no device behind, so another one can be opened.
func TestAClosedLineLeavesNothing(t *testing.T) {
	for range 5 {
		f, err := Open(Line{RTT: ms})
		labtest.Check(t, err)
		f.Close()
		if all, err := net.Interfaces(); err != nil || len(all) != 1 {
			t.Fatalf("%v: %+v", err, all)
		}
	}
}

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

// The far end is the network of another process, as with client programs in containers.
func TestTheFarEndIsTheNetworkOfAProcess(t *testing.T) {
	other := exec.CommandContext(t.Context(), "sleep", "600")
	other.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	labtest.Check(t, other.Start())
	addr := server(t)
	f, err := BesideTo(other.Process.Pid, Line{RTT: 10 * ms})
	labtest.Check(t, err)
	defer f.Close()
	for _, w := range within(t, f, addr, connects(10*ms)) {
		t.Error(w)
	}
	pid := fmt.Sprint(other.Process.Pid)
	if out, err := exec.Command("nsenter", "--net", "--target", pid, "ip", "-o", "link").Output(); err != nil ||
		!strings.Contains(string(out), farDevice) {
		t.Errorf("its devices: %v\n%s", err, out)
	}
	if _, err := BesideTo(1<<22+1, Line{}); err == nil {
		t.Error("a process that doesn't exist has a network")
	}
}
