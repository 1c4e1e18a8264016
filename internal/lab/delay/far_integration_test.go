//go:build integration && linux

package delay

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"

	"golang.org/x/sys/unix"
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
	n, err := strconv.Atoi(strings.TrimPrefix(what, "echo"))
	if err != nil {
		return err
	}
	return echo(n, addr)
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
