package compose

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Hold waits until ctx is cancelled and meanwhile reaps: as process 1 of the
// pod's PID namespace it inherits every process whose parent has ended, in any
// of the pod's containers.
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

// reap collects every child that has ended. Signals of several may come as one.
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
