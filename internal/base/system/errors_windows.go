package system

import (
	"syscall"

	"golang.org/x/sys/windows"
)

var (
	readerGone = []error{windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA}
	// A write after the peer's reset ends with WSAECONNABORTED (Winsock, "Windows Sockets Error Codes").
	reset       = []error{windows.WSAECONNRESET, windows.WSAECONNABORTED}
	refused     = []error{windows.WSAECONNREFUSED}
	portTaken   = []error{windows.WSAEADDRINUSE}
	noAddress   = []error{windows.WSAEADDRNOTAVAIL}
	diskFull    = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
	readOnly    = []error{windows.ERROR_WRITE_PROTECT}
	noDirectory = []error{syscall.ENOTDIR, windows.ERROR_DIRECTORY}
	linkLoop    = []error{windows.ERROR_CANT_RESOLVE_FILENAME}
)
