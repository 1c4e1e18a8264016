package compose

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Hold waits until ctx ends and meanwhile reaps: as process 1 of the pod's PID namespace it
// inherits every process, in any of the pod's containers, whose parent has ended.
func Hold(ctx context.Context) {
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	defer signal.Stop(children)
	for {
		reap()
		select {
		case <-ctx.Done():
			return
		case <-children:
		}
	}
}

// reap collects every child that has ended. The kernel may merge the signals of several.
func reap() (n int) {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return n
		}
		n++
	}
}
