package delay

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Far is the namespace at the other end of a line.
type Far struct {
	space     netns.NsHandle
	near, far int // file descriptors of the devices
	stop      int
	ended     sync.WaitGroup
	errs      chan error
	counters  counters
}

// Open joins a new namespace to this one, which Enter has made.
func Open(l Line) (*Far, error) {
	if !Entered() {
		return nil, errors.New("a delay line must not change the host's own network namespace")
	}
	f := &Far{space: -1, near: -1, far: -1, stop: -1, errs: make(chan error, 2)}
	if err := f.open(); err != nil {
		f.release()
		return nil, refusal(err)
	}
	f.carry(l)
	return f, nil
}

// open makes the devices and the namespace.
func (f *Far) open() (err error) {
	if f.stop, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return err
	}
	if f.near, err = openTUN(nearDevice, nearAddress); err != nil {
		return err
	}
	return onThread(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("a network namespace: %w", err)
		}
		if f.space, err = netns.Get(); err != nil {
			return err
		}
		if f.far, err = openTUN(farDevice, farAddress); err != nil {
			return err
		}
		return farRoutes()
	})
}

// onThread runs f on a thread that ends with it, since f changes the thread's namespace.
func onThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked
		done <- f()
	}()
	return <-done
}

// carry starts both directions.
func (f *Far) carry(l Line) {
	began := time.Now()
	for i, d := range []*direction{{name: "to the servers", from: f.far, to: f.near}, {name: "to the clients",
		from: f.near, to: f.far}} {
		d.stop, d.began, d.plan, d.counters = f.stop, began, newSchedule(l, uint64(i)), &f.counters
		f.ended.Go(func() {
			if err := d.run(); err != nil {
				f.errs <- err
			}
		})
	}
}

// Start starts a program at the far end. It must run on a thread that no other goroutine uses
// (child.Spec.Start).
func (f *Far) Start(cmd *exec.Cmd) error {
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

// Err is why the line has ended by itself, or nil.
func (f *Far) Err() error {
	select {
	case err := <-f.errs:
		f.errs <- err // for the next one who asks
		return err
	default:
		return nil
	}
}

// Counts is what the line has carried so far.
func (f *Far) Counts() Counts { return f.counters.counts() }

// Close ends the line. The namespace ends with its last process.
func (f *Far) Close() {
	_, _ = unix.Write(f.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // an eventfd takes eight bytes
	f.ended.Wait()
	f.release()
}

func (f *Far) release() {
	for _, fd := range []int{f.near, f.far, f.stop} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	if f.space.IsOpen() {
		f.space.Close()
	}
}
