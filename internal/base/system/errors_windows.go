package system

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// The conditions; errors_unix.go describes them.
var (
	ReaderGone = Condition{windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA}
	// A write after the peer's reset ends with WSAECONNABORTED (Winsock, "Windows Sockets Error Codes").
	Reset       = Condition{windows.WSAECONNRESET, windows.WSAECONNABORTED}
	Refused     = Condition{windows.WSAECONNREFUSED}
	PortTaken   = Condition{windows.WSAEADDRINUSE}
	NoAddress   = Condition{windows.WSAEADDRNOTAVAIL}
	DiskFull    = Condition{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
	ReadOnly    = Condition{windows.ERROR_WRITE_PROTECT}
	NoDirectory = Condition{syscall.ENOTDIR, windows.ERROR_DIRECTORY}
	LinkLoop    = Condition{windows.ERROR_CANT_RESOLVE_FILENAME}
)
