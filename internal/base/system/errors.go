// Package system is about differences between operating systems: where a verb runs (platform.go; docs/platforms.md shows
// it), and the errors that h2lab distinguishes. Windows returns its own numbers (WSAECONNRESET, ERROR_NO_DATA), and Go's
// syscall.ECONNRESET there is a number that no call returns (syscall/zerrors_windows.go: "Invented values to support what
// package os expects").
package system

import (
	"errors"
	"slices"
)

// Condition is a condition that a system reports with one of several errors.
type Condition []error

// Is reports whether an error is the condition's.
func (c Condition) Is(err error) bool {
	return slices.ContainsFunc(c, func(e error) bool { return errors.Is(err, e) })
}
