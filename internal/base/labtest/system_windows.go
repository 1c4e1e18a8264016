package labtest

import (
	"syscall"
	"testing"

	"golang.org/x/sys/windows"
)

// ErrDiskFull is what a full disk returns here.
var ErrDiskFull error = syscall.Errno(windows.ERROR_DISK_FULL)

// Mkfifo skips the test: a directory of Windows can't hold a named pipe.
func Mkfifo(t *testing.T, _ string) {
	t.Helper()
	t.Skip("needs a named pipe in a directory, which Windows doesn't have")
}
