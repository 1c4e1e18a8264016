//go:build unix

package system

import "syscall"

// The conditions.
var (
	ReaderGone  = Condition{syscall.EPIPE}                     // the reader of a pipe has closed it
	Reset       = Condition{syscall.ECONNRESET, syscall.EPIPE} // the peer reset a connection, or it was written to after that
	Refused     = Condition{syscall.ECONNREFUSED}              // no program listens at an address
	PortTaken   = Condition{syscall.EADDRINUSE}                // another program listens on a port
	NoAddress   = Condition{syscall.EADDRNOTAVAIL}             // it isn't an address of this machine or network namespace
	DiskFull    = Condition{syscall.ENOSPC, syscall.EDQUOT}    // a disk, or the user's share of it
	ReadOnly    = Condition{syscall.EROFS}                     // a file system is mounted read-only
	NoDirectory = Condition{syscall.ENOTDIR}                   // a part of a path is a file
	LinkLoop    = Condition{syscall.ELOOP}                     // links lead to each other
)
