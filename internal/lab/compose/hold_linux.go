package compose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Hold waits until ctx ends and meanwhile reaps: as process 1 of the pod's PID namespace it
// inherits every process, in any of the pod's containers, whose parent has ended.
func Hold(ctx context.Context) {
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	defer signal.Stop(children)
	for {
		reap()
		select {
		case <-ctx.Done():
			return
		case <-children:
		}
	}
}

// reap collects every child that has ended. The kernel may merge the signals of several.
func reap() (n int) {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return n
		}
		n++
	}
}

// capabilities are those that Become can keep.
var capabilities = map[string]int{"NET_ADMIN": unix.CAP_NET_ADMIN, "SYS_ADMIN": unix.CAP_SYS_ADMIN,
	"SYS_NICE": unix.CAP_SYS_NICE}

// keeping changes this process's user and keeps capabilities for the program that it executes next: as
// ambient ones, since that program has no file capabilities (capabilities(7)). This thread must execute it.
func keeping(names []string, change func() error) error {
	if len(names) == 0 {
		return change()
	}
	runtime.LockOSThread() // until the program replaces it
	if err := unix.Prctl(unix.PR_SET_KEEPCAPS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	for _, name := range names {
		c, known := capabilities[name]
		if !known {
			return fmt.Errorf("the capability %s is none that a program can keep", name)
		}
		s, bit := &sets[c/32], uint32(1)<<(c%32)
		s.Permitted, s.Effective, s.Inheritable = s.Permitted|bit, s.Effective|bit, s.Inheritable|bit
	}
	err := unix.Capset(&header, &sets[0])
	for _, name := range names {
		err = errors.Join(err, unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, uintptr(capabilities[name]), 0, 0))
	}
	if err != nil {
		return fmt.Errorf("keeping capabilities: %w", err)
	}
	return nil
}
