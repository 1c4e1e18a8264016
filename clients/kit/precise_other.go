//go:build !linux

package kit

import "time"

// precise does nothing: the dispatcher uses Go's timers on this system.
func precise() {}

// pauseFor returns after d.
func pauseFor(d time.Duration) { time.Sleep(d) }
