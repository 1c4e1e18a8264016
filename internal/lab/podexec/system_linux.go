package podexec

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// sameUser checks the peer's user, since an abstract name has no permissions.
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var who *unix.Ucred
	var asked error
	if err := raw.Control(func(fd uintptr) {
		who, asked = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if asked != nil {
		return fmt.Errorf("the caller's user is unknown: %w", asked)
	}
	if int(who.Uid) != os.Getuid() {
		return fmt.Errorf("user %d asks, but this runner belongs to user %d", who.Uid, os.Getuid())
	}
	return nil
}

// memoryFile makes a file without a directory (memfd_create(2)).
func memoryFile(name string) (remove func(), err error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("publishing the program's pid: %w", err)
	}
	return func() { _ = unix.Close(fd) }, nil
}

// memoryFiles are the names of a process's memory files.
func memoryFiles(pid int) (names []string) {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(dir) // none where it has ended
	for _, e := range entries {
		target, _ := os.Readlink(filepath.Join(dir, e.Name()))
		if name, ok := strings.CutPrefix(target, "/memfd:"); ok {
			names = append(names, strings.TrimSuffix(name, " (deleted)"))
		}
	}
	return names
}
