//go:build unix

package compose

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Become replaces this process by a program. Where it runs as root it becomes the owner of a file
// first, so that what the program writes into the checkout belongs to the checkout's owner: plain
// `docker compose up` can't know that user. Any other user stays what it is. The program keeps the
// capabilities that are named, and may open the devices that are named.
func Become(file string, keep, devices, argv []string) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("%w; make it with: make certs", err)
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if known && os.Geteuid() == 0 && owner.Uid != 0 {
		uid, gid := int(owner.Uid), int(owner.Gid)
		change := func() error {
			return errors.Join(give(devices, uid, gid), syscall.Setgroups([]int{gid}), syscall.Setgid(gid), syscall.Setuid(uid))
		}
		if err := keeping(keep, change); err != nil {
			return fmt.Errorf("becoming the owner of %s, %d:%d: %w", file, uid, gid, err)
		}
	}
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, argv, os.Environ()))
}

// give makes a user the owner of devices that not everybody may open. The engine makes a container's
// device with the mode of the machine's: udev gives everybody /dev/net/tun, the kernel alone only root.
func give(devices []string, uid, gid int) error {
	for _, path := range devices {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o006 != 0o006 {
			err = os.Chown(path, uid, gid)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
