package handshake

import (
	"time"

	"golang.org/x/sys/unix"
)

// spent is the processor time of the calling thread (clock_gettime(2),
// CLOCK_THREAD_CPUTIME_ID): with each side locked to a thread of its own, the
// two sides' bills are apart, and other programs are on neither.
func spent() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}
