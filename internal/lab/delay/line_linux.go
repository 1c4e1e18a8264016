package delay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"h2lab/internal/base/child"
)

// carrierVariable makes this program the process that carries a line's packets. In a process of its own no other
// work has the scheduler of the line's goroutines, and all of its threads have one priority.
const carrierVariable = "H2LAB_LINE"

// The carrier's file descriptors of the devices.
const (
	carrierNear = 3 + iota
	carrierFar
)

// spareThreads are for the goroutines that don't carry packets: requests, and Go's own.
const spareThreads = 2

// init is where a carrier begins, whatever the program does otherwise, so that a test's binary can be one too.
func init() {
	if os.Getenv(carrierVariable) == "" {
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve carries packets until requests ends. Each request is a Line, or null, and each answer the Counts so far.
func serve(requests io.Reader, answers io.Writer) error {
	runtime.GOMAXPROCS(2 + spareThreads)
	broken, ended := make(chan error), make(chan error)
	var counted counters
	var plans [2]*schedule
	in := json.NewDecoder(requests)
	var first Line
	if err := in.Decode(&first); err != nil {
		return err
	}
	for _, fd := range []int{carrierNear, carrierFar} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return fmt.Errorf("a device of the delay line: %w", err)
		}
	}
	settle(first.prompt())
	began := time.Now()
	for i, d := range []*direction{{name: "to the servers", from: carrierFar, to: carrierNear},
		{name: "to the clients", from: carrierNear, to: carrierFar}} {
		plans[i] = newSchedule(first, uint64(i))
		d.began, d.plan, d.counters = began, plans[i], &counted
		go func() { broken <- d.run() }()
	}
	go func() {
		ended <- answer(in, json.NewEncoder(answers), &counted, func(l *Line) {
			settle(l.prompt())
			for _, s := range plans {
				s.line.Store(l)
			}
		})
	}()
	select {
	case err := <-broken:
		return err
	case err := <-ended:
		if errors.Is(err, io.EOF) { // h2lab has ended, or the line
			return nil
		}
		return err
	}
}

// answer sets the line as the requests say, and answers each with the counts.
func answer(in *json.Decoder, out *json.Encoder, counted *counters, set func(*Line)) error {
	for {
		if err := out.Encode(counted.counts()); err != nil {
			return err
		}
		var l *Line
		if err := in.Decode(&l); err != nil {
			return err
		}
		if l != nil {
			set(l)
		}
	}
}

// carrierNice is the priority (nice value) of a carrier's threads. A low one would leave a line to other programs on a
// busy machine for whole seconds.
const carrierNice = -15

// settle decides when the kernel lets the carrier run while the processors are busy. A prompt one interrupts other
// threads when a packet arrives or its time has come. One that isn't prompt (SCHED_BATCH, sched(7)) waits until they
// pause, and then finds several packets: the processors change threads less often, so they carry more packets. settle
// changes no policy that the user has chosen, such as chrt --idle. The calls needn't succeed: without them packets
// are late more often, and late packets are counted.
func settle(prompt bool) {
	policy := uint32(unix.SCHED_BATCH)
	if prompt {
		policy = unix.SCHED_NORMAL
	}
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		a, err := unix.SchedGetAttr(id, 0)
		if err == nil && (a.Policy == unix.SCHED_NORMAL || a.Policy == unix.SCHED_BATCH) {
			a.Policy = policy
			_ = unix.SchedSetAttr(id, a, 0)
		}
	}
}

// carrier is the process that carries a line's packets (serve).
type carrier struct {
	process  *child.Child
	requests *os.File
	answers  *os.File
	mu       sync.Mutex
	in       *json.Encoder
	out      *json.Decoder
	last     Counts
}

// startCarrier starts a carrier between two devices.
func startCarrier(l Line, near, far *os.File) (*carrier, error) {
	theirIn, requests, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	answers, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, requests.Close())
	}
	defer theirOut.Close()
	c := &carrier{requests: requests, answers: answers, in: json.NewEncoder(requests), out: json.NewDecoder(answers)}
	c.process, err = child.Start(child.Spec{Argv: []string{"/proc/self/exe"}, Stdin: theirIn, Stdout: theirOut,
		Env: append(os.Environ(), carrierVariable+"=1"), Start: func(cmd *exec.Cmd) error {
			cmd.Args = []string{"h2lab-line"}
			cmd.ExtraFiles = []*os.File{near, far} // carrierNear, carrierFar
			return startPrompt(cmd)
		}})
	if err != nil {
		err = fmt.Errorf("the process that carries packets can't be started: %w", err)
		return nil, errors.Join(err, requests.Close(), answers.Close())
	}
	return c, nil
}

// startPrompt starts a program whose threads have a higher priority and exact timers: it inherits both from the
// thread that forks.
func startPrompt(cmd *exec.Cmd) error {
	return onThread(func() error {
		// Neither call must succeed: without them packets are late more often, and late packets are counted.
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), carrierNice)
		return cmd.Start()
	})
}

// ask changes the line, unless l is nil, and returns the counts so far: the last ones known when the carrier
// has ended.
func (c *carrier) ask(l *Line) Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	var n Counts
	if c.in.Encode(l) == nil && c.out.Decode(&n) == nil {
		c.last = n
	}
	return c.last
}

// await returns why the carrier has ended by itself.
func (c *carrier) await() error {
	<-c.process.Exited()
	if last := c.process.Tail().Last(); last != "" {
		return errors.New(last)
	}
	return fmt.Errorf("the process that carries the delay line's packets %s", c.process.Ending())
}

// stop ends the carrier.
func (c *carrier) stop() {
	c.ask(nil)
	_ = c.process.Stop(context.Background(), child.Manner{}) // it has nothing to finish
	c.requests.Close()
	c.answers.Close()
}

// direction carries packets from one device to the other.
type direction struct {
	name     string
	from, to int // file descriptors of TUN devices, non-blocking
	plan     *schedule
	queue    held
	buffer   [headerSize + 1<<16]byte
	part     [headerSize + 1<<16]byte // of a frame
	began    time.Time
	*counters
}

func (d *direction) now() time.Duration { return time.Since(d.began) }

// run carries packets until a device is gone. It waits in ppoll, whose resolution is a nanosecond: Go's timers wake
// a thread with the resolution of epoll_wait, a millisecond.
func (d *direction) run() error {
	for {
		if err := d.send(); err != nil {
			return err
		}
		fd := unix.PollFd{Fd: int32(d.from), Events: unix.POLLIN}
		if errno := rawWait(&fd, d.wait()); errno != 0 && errno != unix.EINTR {
			return fmt.Errorf("the delay line can't wait for packets %s: %w", d.name, errno)
		}
		if err := d.receive(); err != nil {
			return err
		}
	}
}

// wait is the time until the next packet leaves; nil when none is held.
func (d *direction) wait() *unix.Timespec {
	if d.queue.empty() {
		return nil
	}
	return new(unix.NsecToTimespec(int64(max(0, d.queue.first().at-d.now()))))
}

// receive reads the packets that are there.
func (d *direction) receive() error {
	for {
		n, errno := rawRead(d.from, d.buffer[:])
		switch errno {
		case 0:
		case unix.EAGAIN:
			return nil
		case unix.EINTR:
			continue
		default:
			return fmt.Errorf("the delay line can't read packets %s: %w", d.name, errno)
		}
		if f := frame(d.buffer[:n]); f.valid() {
			if err := errors.Join(d.take(f), d.send()); err != nil {
				return err
			}
		}
	}
}

// take splits a frame where the line treats each packet in its own way.
func (d *direction) take(f frame) (err error) {
	if _, bytes := f.size(); !d.plan.line.Load().splits(bytes) {
		return d.place(f)
	}
	f.split(d.part[:], func(part frame) { err = errors.Join(err, d.place(part)) })
	return err
}

// place loses a frame, writes it at once or holds it.
func (d *direction) place(f frame) error {
	packets, bytes := f.size()
	at, lost := d.plan.leaves(d.now(), bytes)
	switch {
	case lost:
		d.lost.Add(int64(packets))
	case d.queue.empty() && at <= d.now():
		return d.write(f)
	case !d.queue.push(at, f, packets):
		d.dropped.Add(int64(packets))
	}
	return nil
}

// send writes the frames whose time has come.
func (d *direction) send() error {
	for !d.queue.empty() {
		p, now := d.queue.first(), d.now()
		if p.at > now {
			return nil
		}
		if now-p.at > LateAfter {
			d.late.Add(int64(p.packets))
		}
		if err := d.write(p.frame); err != nil {
			return err
		}
		d.queue.pop()
	}
	return nil
}

// write gives a frame to the other device.
func (d *direction) write(f frame) error {
	packets, bytes := f.size()
	errno := rawWrite(d.to, f)
	for errno == unix.EINTR {
		errno = rawWrite(d.to, f)
	}
	switch errno {
	case 0:
		d.packets.Add(int64(packets))
		d.bytes.Add(int64(bytes))
	case unix.EAGAIN, unix.ENOBUFS:
		d.dropped.Add(int64(packets))
	default:
		return fmt.Errorf("the delay line can't deliver packets %s: %w", d.name, errno)
	}
	return nil
}

// The carrier's threads call the kernel without a notice to Go's scheduler (unix.RawSyscall). With one, each wait
// for a packet would take the thread its processor (P), and Go's sysmon thread would run every 20 µs to do so: a third
// of the processor time of a line without a delay. A thread that waits keeps its P, so the carrier has more of them
// than the two that wait (spareThreads). Go interrupts a wait by a signal when it must stop all goroutines.

func rawRead(fd int, b []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)))
	return int(n), errno
}

func rawWrite(fd int, b []byte) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)))
	return errno
}

// rawWait returns when a packet can be read, or the time has passed; without a time it waits for a packet.
func rawWait(fd *unix.PollFd, within *unix.Timespec) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(fd)), 1, uintptr(unsafe.Pointer(within)),
		0, 0, 0)
	return errno
}

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
