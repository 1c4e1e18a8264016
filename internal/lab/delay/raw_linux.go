package delay

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The carrier's threads call the kernel without a notice to Go's scheduler (unix.RawSyscall). With one, each wait
// for a packet would take the thread its processor (P), and Go's sysmon thread would run every 20 µs to do so: a third
// of the processor time of a line without a delay. A thread that waits keeps its P, so the carrier has more of them
// than the two that wait (spareThreads). Go interrupts a wait by a signal when it must stop all goroutines.

func rawRead(fd int, b []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)))
	return int(n), errno
}

func rawWrite(fd int, b []byte) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)))
	return errno
}

// rawWait returns when a packet can be read, or the time has passed; without a time it waits for a packet.
func rawWait(fd *unix.PollFd, within *unix.Timespec) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(fd)), 1, uintptr(unsafe.Pointer(within)),
		0, 0, 0)
	return errno
}
