//go:build !linux

package handshake

import (
	"errors"
	"time"
)

// spent needs a clock of one thread's processor time.
func spent() (time.Duration, error) {
	return 0, errors.New("one thread's processor time can't be read on this system")
}
