//go:build !linux

package main

import "syscall"

// captureAttributes keep the terminal's Ctrl-C from the program, which h2lab ends itself.
func captureAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
