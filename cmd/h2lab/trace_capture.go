package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/field/probe"
)

const (
	// mostCaptured bounds a capture, whatever the server sends.
	mostCaptured = 256 << 20
	// readyIn is how long a capture program may take to begin.
	readyIn = 10 * time.Second
	// settled is how long no packet must have come for a capture to be over: the
	// kernel hands packets on in blocks, after a second at the latest (packet_mmap's
	// TPACKET_V3, with tcpdump's timeout). settleIn is how long that is waited for.
	settled  = 1300 * time.Millisecond
	settleIn = 5 * time.Second
	// tried is how long a program must run to be thought able to.
	tried = 300 * time.Millisecond
	// endIn is how long a program may take to end when h2lab is interrupted,
	// injectIn how long editcap may take for a capture of mostCaptured.
	endIn    = 2 * time.Second
	injectIn = time.Minute
)

// sniffer is a program that captures packets to its stdout.
type sniffer struct {
	program string
	args    func(device, filter string) []string
	more    []string // arguments that this machine needs besides
}

// findSniffer gives a program that is here and may capture: that is tried
// before anything is sent.
func findSniffer(ctx context.Context) (*sniffer, error) {
	s := &sniffer{}
	if s.program = lookCapture("tcpdump"); s.program != "" {
		s.args = func(device, filter string) []string {
			return []string{"-i", device, "-n", "-p", "-s", "0", "-B", "8192", "-U", "-w", "-", filter}
		}
	} else if s.program = lookCapture("dumpcap"); s.program != "" {
		s.args = func(device, filter string) []string {
			return []string{"-q", "-p", "-i", device, "-f", filter, "-w", "-"}
		}
	} else {
		return nil, missingError{errors.New("--pcap needs tcpdump or dumpcap, and neither is on the PATH; next: apt-get install tcpdump")}
	}
	err := s.try(ctx)
	if err != nil && strings.Contains(err.Error(), "find user") {
		// Debian's tcpdump, as root, becomes a user of its own, which a package makes that was installed.
		s.more = []string{"-Z", "root"}
		err = s.try(ctx)
	}
	return s, err
}

// try captures nothing for a moment.
func (s *sniffer) try(ctx context.Context) error {
	run, err := s.start(ctx, net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}, io.Discard)
	if err != nil {
		return err
	}
	_, err = run.stop(tried)
	return err
}

// lookCapture finds a program on the PATH, or where root's are: it is "" when it isn't there.
func lookCapture(name string) string {
	if p, err := exec.LookPath(name); err == nil {
		return p
	}
	for _, dir := range []string{"/usr/sbin", "/sbin"} {
		if os.Getenv("PATH") == "" {
			break
		}
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p
		}
	}
	return ""
}

// pinned resolves the target once, so that what is captured is what is dialled.
func pinned(ctx context.Context, t probe.Target) (probe.Target, net.TCPAddr, error) {
	address, err := t.Resolve(ctx)
	if err != nil {
		return t, net.TCPAddr{}, err
	}
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return t, net.TCPAddr{}, err
	}
	return t.At(address), *tcp, nil
}

// start captures what goes to and from an address until it is stopped. It
// returns when the program captures.
func (s *sniffer) start(ctx context.Context, to net.TCPAddr, out io.Writer) (*capture, error) {
	filter := fmt.Sprintf("tcp port %d and host %s", to.Port, to.IP)
	c := &capture{ctx: ctx, name: filepath.Base(s.program), argv: append([]string{s.program}, append(s.more, s.args(captureDevice(to.IP), filter)...)...),
		out: out, began: make(chan struct{})}
	var err error
	if c.Child, err = child.Start(child.Spec{Argv: c.argv, Stdout: c, EndsWithUs: true}); err != nil {
		return nil, missingError{fmt.Errorf("--pcap: %w", err)}
	}
	context.AfterFunc(ctx, func() { c.end(syscall.SIGTERM, endIn) })
	timer := time.NewTimer(readyIn)
	defer timer.Stop()
	select {
	case <-c.began:
		return c, nil
	case <-c.Exited():
	case <-timer.C:
		c.end(syscall.SIGKILL, 0)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, c.refused()
}

// end asks the program to end, and kills it after a while.
func (c *capture) end(sig syscall.Signal, grace time.Duration) {
	_ = c.Stop(context.Background(), child.Manner{Signals: []syscall.Signal{sig}, Grace: grace})
}

// captureDevice is where packets to an address go by. A host reaches its own
// addresses over loopback too, so for all but 127.0.0.1 every device is watched.
func captureDevice(ip net.IP) string {
	all, err := net.Interfaces()
	if err == nil && ip.IsLoopback() {
		for _, i := range all {
			if i.Flags&net.FlagLoopback != 0 {
				return i.Name
			}
		}
	}
	return "any"
}

// capture is a program that captures.
type capture struct {
	*child.Child
	ctx   context.Context
	name  string
	argv  []string
	began chan struct{}

	mu   sync.Mutex
	out  io.Writer
	n    int
	last time.Time
	// broken is why no more was taken.
	broken error
}

// Write takes what the program captured. Its first bytes are a file's header,
// which is written when the device is open and filtered.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == 0 {
		close(c.began)
	}
	c.n, c.last = c.n+len(p), time.Now()
	if c.n > mostCaptured {
		c.broken = fmt.Errorf("more than %d MiB were captured; ask a lighter path", mostCaptured>>20)
		return 0, c.broken
	}
	n, err := c.out.Write(p)
	c.broken = err
	return n, err
}

// quiet is how long nothing was captured.
func (c *capture) quiet() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.last)
}

// refused is the error for a program that does not capture.
func (c *capture) refused() error {
	said := strings.Trim(strings.TrimPrefix(c.Tail().Last(), "tcpdump: "), " ()")
	if regexp.MustCompile(`(?i)permi|privilege|CAP_NET`).MatchString(said) {
		return missingError{fmt.Errorf("--pcap: %s may not capture here (%s); next: sudo h2lab trace …, or give %s the right: sudo setcap cap_net_raw+ep %s", c.name, said, c.name, c.argv[0])}
	}
	return missingError{fmt.Errorf("--pcap: %s does not capture: %s; next, to see more: %s", c.name, said, strings.Join(c.argv, " "))}
}

// captured is a capture that is over.
type captured struct {
	open     bool // it holds its own secrets
	warnings []string
}

var droppedByKernel = regexp.MustCompile(`(?m)^([1-9]\d*) packets dropped by kernel`)

// stop ends the program when no packet has come for a while.
func (c *capture) stop(settled time.Duration) (*captured, error) {
	for until := time.Now().Add(settleIn); c.quiet() < settled && time.Now().Before(until); {
		select {
		case <-c.Exited():
			until = time.Now()
		case <-time.After(settled / 10):
		}
	}
	select {
	case <-c.Exited():
		return &captured{}, c.brokeOff()
	default:
	}
	c.end(syscall.SIGINT, settleIn) // both write what they hold, and end
	if c.ctx.Err() != nil || c.broken != nil {
		return &captured{}, c.brokeOff()
	}
	done := &captured{}
	if m := droppedByKernel.FindStringSubmatch(c.Tail().String()); m != nil {
		done.warnings = append(done.warnings, "the capture lacks "+m[1]+" packets, which the kernel dropped")
	}
	return done, nil
}

// brokeOff is the error for a program that ended before it was told to.
func (c *capture) brokeOff() error {
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case c.broken != nil:
		return fmt.Errorf("--pcap: the capture broke off: %w", c.broken)
	}
	return c.refused()
}

// inject writes the secrets into a capture.
func inject(ctx context.Context, editcap, file string, secrets []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "h2lab-trace-") // 0700
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	keys, out := filepath.Join(dir, "keys"), filepath.Join(dir, "out.pcapng")
	if err := os.WriteFile(keys, secrets, 0o600); err != nil {
		return nil, err
	}
	argv := []string{editcap, "-F", "pcapng", "--inject-secrets", "tls," + keys, file, out}
	if _, err := child.Run(ctx, child.Spec{Argv: argv}, child.Limits{Within: injectIn}); err != nil {
		return nil, fmt.Errorf("the secrets could not be put in: %w", err)
	}
	return os.ReadFile(out)
}
