//go:build !linux

package podexec

import (
	"errors"
	"net"
	"os"
)

// An agent runs in a container, that is, on Linux. On other systems the package only compiles.
func sameUser(*net.UnixConn) error { return errors.New("a runner requires Linux") }

func send(*net.UnixConn, []byte, []*os.File) error { return errors.New("a relay requires Linux") }

func receive(*net.UnixConn) ([]byte, []*os.File, error) {
	return nil, nil, errors.New("a runner requires Linux")
}

func memoryFile(string) (remove func(), err error) { return nil, errors.New("a relay requires Linux") }

func memoryFiles(int) []string { return nil }
