package native

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"h2lab/internal/base/shell"
	"h2lab/internal/base/syserr"
)

// UnwritableError means that h2lab can't write to var/, which has the servers' files.
type UnwritableError struct {
	Dir string
	Err error
}

func (e *UnwritableError) Error() string {
	dir, next := shell.Word(e.Dir), ""
	switch {
	case syserr.DiskFull(e.Err):
		next = "make room; see how much there is with: df -h " + dir
	case syserr.ReadOnly(e.Err):
		next = "its file system is mounted read-only; see where with: findmnt -T " + dir
	case errors.Is(e.Err, fs.ErrPermission):
		next = "make it yours: sudo chown -R $(id -un) " + dir
	default:
		next = "look at it with: ls -ld " + dir
	}
	return fmt.Sprintf("%s can't be written to: %v; %s", dir, plain(e.Err), next)
}

// Unwrap returns the cause.
func (e *UnwritableError) Unwrap() error { return e.Err }

// unwritable is the error for var/.
func unwritable(root string, err error) error {
	return &UnwritableError{Dir: filepath.Join(root, "var"), Err: err}
}

// advised adds a next step to errors of a full or read-only disk.
func advised(root string, err error) error {
	var known *UnwritableError
	if err == nil || errors.As(err, &known) {
		return err
	}
	if syserr.DiskFull(err) || syserr.ReadOnly(err) || errors.Is(err, fs.ErrPermission) {
		return unwritable(root, err)
	}
	return err
}
