// Package system is about differences between operating systems: where a verb runs (platform.go; docs/platforms.md shows
// it), and the errors that h2lab distinguishes. Windows returns its own numbers (WSAECONNRESET, ERROR_NO_DATA), and Go's
// syscall.ECONNRESET there is a number that no call returns (syscall/zerrors_windows.go: "Invented values to support what
// package os expects").
package system

import "errors"

// ReaderGone reports whether the reader of a pipe has closed it.
func ReaderGone(err error) bool { return isOne(err, readerGone) }

// Reset reports whether the peer reset a connection, or whether it was written to after that.
func Reset(err error) bool { return isOne(err, reset) }

// Refused reports whether no program listens at an address.
func Refused(err error) bool { return isOne(err, refused) }

// PortTaken reports whether another program listens on a port.
func PortTaken(err error) bool { return isOne(err, portTaken) }

// NoAddress reports whether an address to listen on isn't one of this machine or network namespace.
func NoAddress(err error) bool { return isOne(err, noAddress) }

// DiskFull reports whether a disk or the user's share of it is full.
func DiskFull(err error) bool { return isOne(err, diskFull) }

// ReadOnly reports whether a file system is mounted read-only.
func ReadOnly(err error) bool { return isOne(err, readOnly) }

// NoDirectory reports whether a part of a path is a file.
func NoDirectory(err error) bool { return isOne(err, noDirectory) }

// LinkLoop reports whether links lead to each other.
func LinkLoop(err error) bool { return isOne(err, linkLoop) }

func isOne(err error, of []error) bool {
	for _, e := range of {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
