//go:build unix

package workshop

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func makeFIFO(path string) error { return unix.Mkfifo(path, 0o600) }

// openUnread opens a pipe for reading without waiting for a writer.
func openUnread(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
