package delay

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

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
