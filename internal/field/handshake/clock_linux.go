package handshake

import (
	"time"

	"golang.org/x/sys/unix"
)

// spent is the processor time of the calling thread (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID).
// Each side is locked to its own thread, so the times of the two sides are separate and exclude
// other programs.
func spent() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}
