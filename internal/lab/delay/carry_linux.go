package delay

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// mtu is Ethernet's: with larger packets slow start would need fewer round trips than it does over a
// real distance.
const mtu = 1500

// burst is how many packets one direction reads before it looks for packets whose time has come.
const burst = 64

// direction carries packets from one device to the other.
type direction struct {
	name     string
	from, to int // file descriptors of TUN devices, non-blocking
	stop     int // becomes readable when the line ends
	plan     *schedule
	queue    held
	buffer   [mtu + 128]byte
	began    time.Time
	*counters
}

func (d *direction) now() time.Duration { return time.Since(d.began) }

// run carries packets until stop is readable. It needs a thread of its own: Go's timers wake a thread
// with the resolution of epoll_wait, a millisecond, and ppoll has nanoseconds.
func (d *direction) run() error {
	runtime.LockOSThread() // and never unlocked: the thread ends with its priority
	// Neither call must succeed: without them packets are late more often, and late packets are counted.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -15)
	fds := []unix.PollFd{{Fd: int32(d.from), Events: unix.POLLIN}, {Fd: int32(d.stop), Events: unix.POLLIN}}
	for {
		if err := d.send(); err != nil {
			return err
		}
		if _, err := unix.Ppoll(fds, d.wait(), nil); err != nil && err != unix.EINTR {
			return fmt.Errorf("the delay line can't wait for packets %s: %w", d.name, err)
		}
		if fds[1].Revents != 0 {
			return nil
		}
		if fds[0].Revents != 0 {
			if err := d.receive(); err != nil {
				return err
			}
		}
	}
}

// wait is the time until the next packet leaves; nil when none is held.
func (d *direction) wait() *unix.Timespec {
	if d.queue.empty() {
		return nil
	}
	ts := unix.NsecToTimespec(int64(max(0, d.queue.first().at-d.now())))
	return &ts
}

// receive reads the packets that are there.
func (d *direction) receive() error {
	for range burst {
		n, err := unix.Read(d.from, d.buffer[:])
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("the delay line can't read packets %s: %w", d.name, err)
		case n == 0 || d.buffer[0]>>4 != 4: // the kernel asks for IPv6 routers
			continue
		}
		d.take(d.buffer[:n])
	}
	return nil
}

func (d *direction) take(packet []byte) {
	at, lost := d.plan.leaves(d.now(), len(packet))
	switch {
	case lost:
		d.lost.Add(1)
	case !d.queue.push(at, packet):
		d.dropped.Add(1)
	}
}

// send writes the packets whose time has come.
func (d *direction) send() error {
	for !d.queue.empty() {
		p, now := d.queue.first(), d.now()
		if p.at > now {
			return nil
		}
		if now-p.at > LateAfter {
			d.late.Add(1)
		}
		_, err := unix.Write(d.to, p.bytes)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOBUFS):
			d.dropped.Add(1)
		case err != nil:
			return fmt.Errorf("the delay line can't deliver packets %s: %w", d.name, err)
		default:
			d.packets.Add(1)
			d.bytes.Add(int64(len(p.bytes)))
		}
		d.queue.pop()
	}
	return nil
}
