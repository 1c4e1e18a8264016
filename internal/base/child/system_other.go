//go:build !linux

package child

import "syscall"

// Other systems don't end a child with its parent.
func endsWithUs(*syscall.SysProcAttr) {}

// awaitEnd: other systems report an end only when the status is read; the rest of the group then
// keeps running.
func awaitEnd(int) bool { return false }

func onLastingThread(f func()) { f() }

// running: without /proc a child that Start started runs until its status is read, and of one that
// Find found nothing is known.
func (c *Child) running() bool { return c.exited != nil }
