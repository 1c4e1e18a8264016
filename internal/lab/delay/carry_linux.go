package delay

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

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
