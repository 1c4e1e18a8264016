//go:build unix

package labtest

import (
	"syscall"
	"testing"
)

// ErrDiskFull is what a full disk returns here.
var ErrDiskFull error = syscall.ENOSPC

// Mkfifo makes a named pipe.
func Mkfifo(t *testing.T, path string) {
	t.Helper()
	Check(t, syscall.Mkfifo(path, 0o600))
}
