//go:build unix

package system

import "syscall"

var (
	readerGone  = []error{syscall.EPIPE}
	reset       = []error{syscall.ECONNRESET, syscall.EPIPE}
	refused     = []error{syscall.ECONNREFUSED}
	portTaken   = []error{syscall.EADDRINUSE}
	noAddress   = []error{syscall.EADDRNOTAVAIL}
	diskFull    = []error{syscall.ENOSPC, syscall.EDQUOT}
	readOnly    = []error{syscall.EROFS}
	noDirectory = []error{syscall.ENOTDIR}
	linkLoop    = []error{syscall.ELOOP}
)
