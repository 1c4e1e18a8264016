//go:build !linux

package podexec

import (
	"errors"
	"net"
)

// A hand runs in a container, that is, on Linux. On other systems the package only compiles.
func sameUser(*net.UnixConn) error { return errors.New("a runner requires Linux") }
