package podexec

import (
	"fmt"
	"net"
	"os"

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
