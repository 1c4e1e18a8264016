//go:build !linux

package handshake

import (
	"errors"
	"time"
)

// spent fails: this system has no processor clock per thread.
func spent() (time.Duration, error) {
	return 0, errors.New("one thread's processor time can't be read on this system")
}
