// Package capture captures the packets of a trace with tcpdump or dumpcap, and adds the TLS secrets
// to the file with editcap.
package capture

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
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

const (
	// mostCaptured limits the size of a capture, whatever the server sends.
	mostCaptured = 256 << 20
	// readyIn is how long a capture program may take to start.
	readyIn = 10 * time.Second
	// settleIn is how long to wait for a quiet moment.
	settleIn = 5 * time.Second
	// tried is how long a program must run in Find's trial to count as able to capture.
	tried = 300 * time.Millisecond
	// endIn is how long a program may take to end when h2lab is interrupted, injectIn how long
	// editcap may take for a capture of mostCaptured.
	endIn    = 2 * time.Second
	injectIn = time.Minute
)

// Program is a program that captures packets to its stdout.
type Program struct {
	program string
	args    func(device, filter string) []string
	more    []string // additional arguments for this machine
}

// Find returns an installed program with permission to capture: it makes a trial run before
// anything is sent.
func Find(ctx context.Context) (*Program, error) {
	s := &Program{}
	if s.program = Look("tcpdump"); s.program != "" {
		s.args = func(device, filter string) []string {
			return []string{"-i", device, "-n", "-p", "-s", "0", "-B", "8192", "-U", "-w", "-", filter}
		}
	} else if s.program = Look("dumpcap"); s.program != "" {
		s.args = func(device, filter string) []string {
			return []string{"-q", "-p", "-i", device, "-f", filter, "-w", "-"}
		}
	} else {
		return nil, exitstatus.Lacks(errors.New("--pcap needs tcpdump or dumpcap, and neither is on the PATH; next: " +
			"apt-get install tcpdump"))
	}
	err := s.try(ctx)
	if err != nil && strings.Contains(err.Error(), "find user") {
		// Debian's tcpdump drops root for a user of its own, which an unpacked package lacks.
		s.more = []string{"-Z", "root"}
		err = s.try(ctx)
	}
	return s, err
}

// try captures nothing for a moment.
func (s *Program) try(ctx context.Context) error {
	run, err := s.Start(ctx, net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}, io.Discard)
	if err != nil {
		return err
	}
	_, err = run.Stop(tried)
	return err
}

// Look finds a program on the PATH or in root's directories; "" if it isn't installed.
func Look(name string) string {
	for _, path := range []string{name, "/usr/sbin/" + name, "/sbin/" + name} {
		if p, err := exec.LookPath(path); err == nil && os.Getenv("PATH") != "" {
			return p
		}
	}
	return ""
}

// Start captures the packets to and from an address until it is stopped. It returns when the
// program captures.
func (s *Program) Start(ctx context.Context, to net.TCPAddr, out io.Writer) (*Run, error) {
	filter := fmt.Sprintf("tcp port %d and host %s", to.Port, to.IP)
	c := &Run{ctx: ctx, name: filepath.Base(s.program), out: out, began: make(chan struct{}),
		argv: append([]string{s.program}, append(s.more, s.args(captureDevice(to.IP), filter)...)...)}
	var err error
	if c.Child, err = child.Start(child.Spec{Argv: c.argv, Stdout: c, EndsWithUs: true}); err != nil {
		return nil, exitstatus.Lacks(fmt.Errorf("--pcap: %w", err))
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

// end signals the program to end, and kills it after the grace period.
func (c *Run) end(sig syscall.Signal, grace time.Duration) {
	_ = c.Child.Stop(context.Background(), child.Manner{Signals: []syscall.Signal{sig}, Grace: grace})
}

// captureDevice is the device of packets to an address. A host reaches its own addresses over
// loopback too, so the device is "any" except for loopback addresses.
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

// Run is a running capture program.
type Run struct {
	*child.Child
	ctx   context.Context
	name  string
	argv  []string
	began chan struct{}

	mu   sync.Mutex
	out  io.Writer
	n    int
	last time.Time
	// broken is why the capture was cut short.
	broken error
}

// Write stores the captured bytes. The first ones are the file header, which the programs write
// once the device is open and the filter is set.
func (c *Run) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == 0 {
		close(c.began)
	}
	c.n, c.last = c.n+len(p), time.Now()
	if c.n > mostCaptured {
		c.broken = fmt.Errorf("more than %d MiB were captured; choose a path with smaller answers", mostCaptured>>20)
		return 0, c.broken
	}
	n, err := c.out.Write(p)
	c.broken = err
	return n, err
}

// quiet is how long nothing was captured.
func (c *Run) quiet() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.last)
}

// refused is the error for a program that does not capture.
func (c *Run) refused() error {
	last := strings.Trim(strings.TrimPrefix(c.Tail().Last(), "tcpdump: "), " ()")
	if regexp.MustCompile(`(?i)permi|privilege|CAP_NET`).MatchString(last) {
		return exitstatus.Lacks(fmt.Errorf("--pcap: %s may not capture here (%s); next: sudo h2lab trace …, or give "+
			"%s the right: sudo setcap cap_net_raw+ep %s",
			c.name, last, c.name, c.argv[0]))
	}
	return exitstatus.Lacks(fmt.Errorf("--pcap: %s does not capture: %s; next, to see more: %s", c.name, last,
		strings.Join(c.argv, " ")))
}

// Settled is how long no packet must arrive before a capture is complete: the kernel delivers
// packets in blocks, after a second at the latest (packet_mmap's TPACKET_V3, with tcpdump's
// timeout).
const Settled = 1300 * time.Millisecond

var droppedByKernel = regexp.MustCompile(`(?m)^([1-9]\d*) packets dropped by kernel`)

// Stop ends the program when no packet has arrived for a while. It returns warnings about the
// capture.
func (c *Run) Stop(settled time.Duration) ([]facts.Note, error) {
	for until := time.Now().Add(settleIn); c.quiet() < settled && time.Now().Before(until); {
		select {
		case <-c.Exited():
			until = time.Now()
		case <-time.After(settled / 10):
		}
	}
	select {
	case <-c.Exited():
		return nil, c.brokeOff()
	default:
	}
	c.end(syscall.SIGINT, settleIn) // both write their buffers, and end
	if c.ctx.Err() != nil || c.broken != nil {
		return nil, c.brokeOff()
	}
	var warnings []facts.Note
	if m := droppedByKernel.FindStringSubmatch(c.Tail().String()); m != nil {
		warnings = append(warnings, facts.NewNote("note.capture-lacks", m[1]))
	}
	return warnings, nil
}

// brokeOff is the error for a program that ended by itself.
func (c *Run) brokeOff() error {
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case c.broken != nil:
		return fmt.Errorf("--pcap: the capture broke off: %w", c.broken)
	}
	return c.refused()
}

// Inject returns a capture that includes the secrets.
func Inject(ctx context.Context, editcap, file string, secrets []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "h2lab-trace-") // 0700
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	keys, out := filepath.Join(dir, "keys"), filepath.Join(dir, "out.pcapng")
	if err := rooted.WriteFile(keys, secrets); err != nil {
		return nil, err
	}
	if file, err = filepath.Abs(file); err != nil { // editcap starts in another directory
		return nil, err
	}
	argv := []string{editcap, "-F", "pcapng", "--inject-secrets", "tls," + keys, file, out}
	if _, err := child.Run(ctx, child.Spec{Argv: argv}, child.Limits{Within: injectIn}); err != nil {
		return nil, fmt.Errorf("the secrets could not be put in: %w", err)
	}
	return rooted.ReadFile(out, 1<<40)
}
