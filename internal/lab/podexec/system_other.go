//go:build !linux

package podexec

import (
	"errors"
	"net"
)

// A hand runs in a container, which is Linux. Elsewhere the package only builds.
func sameUser(*net.UnixConn) error { return errors.New("a hand needs Linux") }
