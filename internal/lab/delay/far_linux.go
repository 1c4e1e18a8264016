package delay

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Far is the namespace at the other end of a line.
type Far struct {
	space     netns.NsHandle
	near, far *os.File // the devices, until the carrier has them
	nearName  string
	carrier   *carrier
	closed    chan struct{}
	broken    chan struct{} // closed when the line has ended by itself
	err       error         // why it is broken
}

// Open joins a new namespace to this one, which Enter has made.
func Open(l Line) (*Far, error) {
	if !Entered() {
		return nil, errors.New("a delay line must not change the host's own network namespace")
	}
	return join(l, newSpace)
}

// newSpace puts this thread into a network namespace of its own.
func newSpace() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("a network namespace: %w", err)
	}
	return nil
}

// spaceOf puts this thread into the network namespace of a process.
func spaceOf(pid int) func() error {
	return func() error {
		space, err := netns.GetFromPid(pid)
		if err != nil {
			return fmt.Errorf("the network namespace of process %d: %w", pid, err)
		}
		defer space.Close()
		return netns.Set(space)
	}
}

// Beside joins a new namespace to the one in which this process runs, whichever it is, so that the far end
// reaches servers that run there already. It adds one device with one address to this namespace until Close,
// and changes no setting of other devices.
func Beside(l Line) (*Far, error) { return besideIn(l, newSpace) }

// BesideTo does the same with the network namespace of a process for the far end.
func BesideTo(pid int, l Line) (*Far, error) { return besideIn(l, spaceOf(pid)) }

func besideIn(l Line, space func() error) (*Far, error) {
	f, err := join(Line{Seed: l.Seed}, space)
	if err != nil {
		return nil, err
	}
	if err := f.try(); err != nil {
		f.Close()
		return nil, err
	}
	f.Set(l)
	return f, nil
}

func join(l Line, space func() error) (*Far, error) {
	f := &Far{space: -1, closed: make(chan struct{}), broken: make(chan struct{})}
	err := refusal(f.open(space))
	if err == nil {
		f.carrier, err = startCarrier(l, f.near, f.far)
	}
	for _, device := range []*os.File{f.near, f.far} { // they exist as long as the carrier has them
		if device != nil {
			device.Close()
		}
	}
	if err != nil {
		f.release()
		return nil, err
	}
	go f.watch()
	f.Set(l)
	return f, nil
}

// open makes the devices. space enters the far end's namespace.
func (f *Far) open(space func() error) error {
	near, far, err := f.openNear()
	if err != nil {
		return err
	}
	f.nearName = near
	return onThread(func() error {
		if err := space(); err != nil {
			return err
		}
		if f.space, err = netns.Get(); err != nil {
			return err
		}
		var link netlink.Link
		if f.far, link, err = openTUN(farDevice); err != nil {
			return err
		}
		if err := configure(link, far); err != nil {
			return err
		}
		return farRoutes(link, far.IP)
	})
}

// openNear makes the device in this namespace. It returns its name and the address of the far end.
func (f *Far) openNear() (name string, far *net.IPNet, err error) {
	taken, err := routes()
	if err != nil {
		return "", nil, err
	}
	var link netlink.Link
	if f.near, link, err = openTUN(nearDevices); err != nil {
		return "", nil, err
	}
	name = link.Attrs().Name
	var n int
	if _, err := fmt.Sscanf(name, nearDevices, &n); err != nil {
		return "", nil, fmt.Errorf("the device %s: %w", name, err)
	}
	near, far, err := ends(n, taken)
	if err != nil {
		return "", nil, err
	}
	return name, far, configure(link, near)
}

// tryWithin is how long a connection over the line without a delay may take on a busy machine.
const tryWithin = 3 * time.Second

// try makes a connection over the line, since rules of a firewall or of routing can forbid it.
func (f *Far) try() error {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	err = onThread(func() error {
		if err := netns.Set(f.space); err != nil {
			return err
		}
		c, err := net.DialTimeout("tcp4", l.Addr().String(), tryWithin)
		if err != nil {
			return err
		}
		return c.Close()
	})
	if err != nil {
		return fmt.Errorf("no connection to 127.0.0.1 comes through the delay line: %w; a firewall of this machine "+
			"may drop packets of the device %s; allow them, for example: iptables -I INPUT -i h2lab-near+ -j ACCEPT",
			err, f.nearName)
	}
	return nil
}

// onThread runs f on a thread that ends with it, since f changes the thread's namespace. It isn't the
// process's first thread: that one never ends, and /proc/net has its namespace.
func onThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked, so that the thread ends
		if unix.Gettid() != unix.Getpid() {
			done <- f()
			return
		}
		defer runtime.UnlockOSThread()
		done <- onThread(f) // on another thread, since this one waits
	}()
	return <-done
}

// watch closes broken when the carrier has ended by itself.
func (f *Far) watch() {
	err := f.carrier.await()
	select {
	case <-f.closed:
	default:
		f.err = err
		close(f.broken)
	}
}

// Set changes what the line does to packets from now on. Those that it holds keep their times, and no
// later packet overtakes them. Jitter and loss continue the numbers of Open's seed.
func (f *Far) Set(l Line) { f.carrier.ask(&l) }

// Start starts a program at the far end. It must run on a thread that no other goroutine uses
// (child.Spec.Start).
func (f *Far) Start(cmd *exec.Cmd) error {
	if err := f.Err(); err != nil {
		return err
	}
	home, err := netns.Get()
	if err != nil {
		return err
	}
	defer home.Close()
	if err := netns.Set(f.space); err != nil {
		return fmt.Errorf("the far namespace: %w", err)
	}
	return errors.Join(cmd.Start(), netns.Set(home))
}

// Broken is closed when the line has ended by itself; Err then is why.
func (f *Far) Broken() <-chan struct{} { return f.broken }

// Err is why the line has ended by itself, or nil.
func (f *Far) Err() error {
	select {
	case <-f.broken:
		return f.err
	default:
		return nil
	}
}

// Pid is the process that carries the line's packets, whose processor time is the line's.
func (f *Far) Pid() int { return f.carrier.process.PID }

// Counts is what the line has carried so far.
func (f *Far) Counts() Counts { return f.carrier.ask(nil) }

// Close ends the line. The namespace ends with its last process.
func (f *Far) Close() {
	close(f.closed)
	f.carrier.stop()
	f.release()
}

func (f *Far) release() {
	if f.space.IsOpen() {
		f.space.Close()
	}
}

// variable has the inode of the namespace that Enter made.
const variable = "H2LAB_NETNS"

// Entered reports whether this process is in a namespace that Enter made.
func Entered() bool {
	inode, err := namespace()
	return err == nil && os.Getenv(variable) == inode
}

// Enter starts this program again, in the same process and with the same arguments, in a network
// namespace of its own, so that a line's devices and routes never touch the host's. env is added to the
// environment. It returns only when that fails.
func Enter(env ...string) error {
	runtime.LockOSThread() // the thread that calls execve becomes the process, with its namespace
	defer runtime.UnlockOSThread()
	home, err := netns.Get()
	if err != nil {
		return refusal(err)
	}
	defer home.Close()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return refusal(fmt.Errorf("a network namespace: %w", err))
	}
	err = errors.Join(again(env), netns.Set(home))
	return refusal(err)
}

// again executes this program in the namespace of this thread.
func again(env []string) error {
	if err := raiseLoopback(); err != nil {
		return err
	}
	inode, err := namespace()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	env = append(append(os.Environ(), env...), variable+"="+inode)
	return fmt.Errorf("%s: %w", program, syscall.Exec(program, os.Args, env))
}

// namespace is the inode of this thread's network namespace.
func namespace() (string, error) {
	var s unix.Stat_t
	if err := unix.Stat("/proc/thread-self/ns/net", &s); err != nil {
		return "", err
	}
	return strconv.FormatUint(s.Ino, 10), nil
}

// refusal says what a line requires.
func refusal(err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOENT) ||
		errors.Is(err, unix.ENODEV) {
		return fmt.Errorf("a delay line requires root, or the capabilities NET_ADMIN and SYS_ADMIN, and "+
			"/dev/net/tun (in the lab container: make shell WITH=distance): %w; without a distance the lab needs none of them", err)
	}
	return err
}
