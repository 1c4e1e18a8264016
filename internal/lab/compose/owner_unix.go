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
// capabilities that are named.
func Become(file string, keep []string, argv []string) error {
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
			return errors.Join(syscall.Setgroups([]int{gid}), syscall.Setgid(gid), syscall.Setuid(uid))
		}
		if err := keeping(keep, change); err != nil {
			return fmt.Errorf("becoming the owner of %s, %d:%d: %w", file, uid, gid, err)
		}
	}
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, argv, os.Environ()))
}
