//go:build !linux

package kit

import (
	"os/exec"
	"time"
)

// precise does nothing: the dispatcher uses Go's timers on this system.
func precise() {}

// pauseFor returns after d.
func pauseFor(d time.Duration) { time.Sleep(d) }

// Tie does nothing: this system can't end a child when this program is killed.
func Tie(*exec.Cmd) {}
