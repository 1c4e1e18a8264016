package main

import "syscall"

// captureAttributes keep the terminal's Ctrl-C from the program, which h2lab
// ends itself, and let it end with h2lab however that ends.
func captureAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
