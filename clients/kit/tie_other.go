//go:build !linux

package kit

import "os/exec"

// Tie can't promise here that a child ends with this program when it is killed.
func Tie(*exec.Cmd) {}
