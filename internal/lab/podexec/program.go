package podexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// unread is how many messages for stdin may wait for a program that doesn't
// read them. A conversation has three.
const unread = 1024

// run starts a program for a peer and returns when it and its group are gone.
// Its error says why it could not be started; how it ended is told to the peer.
func run(ctx context.Context, p *peer, argv, env []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = env
	cmd.Stdout = stream{p, func(b []byte) message { return message{Stdout: b} }}
	cmd.Stderr = stream{p, func(b []byte) message { return message{Stderr: b} }}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = stopGrace // what has left the group and still holds the pipes is not waited for
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("a pipe to it: %w", err)
	}
	if err := p.sendAhead(func() (message, error) {
		if err := cmd.Start(); err != nil {
			return message{}, fmt.Errorf("starting it: %w", err)
		}
		return message{Pid: cmd.Process.Pid}, nil
	}); err != nil {
		return err
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		feed(p, stdin)
	}()
	end(ctx, cmd.Process.Pid, gone)
	_ = p.conn.SetWriteDeadline(time.Now().Add(stopGrace)) // a peer that reads no more must not hold us
	waited := cmd.Wait()
	_ = p.send(message{Ended: ending(cmd, waited)})
	return nil
}

// end returns when the program has ended and nothing of its group is left. It
// is asked to end when the peer is gone or ctx is cancelled.
func end(ctx context.Context, pid int, gone <-chan struct{}) {
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		awaitExit(pid)
	}()
	select {
	case <-exited:
	case <-gone:
	case <-ctx.Done():
	}
	select {
	case <-exited:
	default:
		_ = syscall.Kill(-pid, syscall.SIGTERM) // ESRCH: it has just ended
		select {
		case <-exited:
		case <-time.After(stopGrace):
		}
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // it is not waited for yet: the number is still its own
	<-exited
}

// feed passes the peer's stdin on until the peer is gone, says what is no
// message, or sends far more than the program reads.
func feed(p *peer, stdin io.WriteCloser) {
	queue := make(chan message, unread)
	defer close(queue)
	go func() {
		defer stdin.Close()
		for m := range queue {
			if m.EOF {
				return
			}
			if _, err := stdin.Write(m.Stdin); err != nil {
				return // it reads no more; that is its own affair
			}
		}
	}()
	for {
		m, err := p.receive()
		if err != nil || !m.EOF && len(m.Stdin) == 0 {
			return
		}
		select {
		case queue <- m:
		default:
			return
		}
	}
}

// ending is how the program ended, in the peer's words.
func ending(cmd *exec.Cmd, waited error) *Ending {
	state, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && state.Signaled() {
		return &Ending{Status: 128 + int(state.Signal()), Signal: state.Signal().String()}
	}
	var exit *exec.ExitError
	if status := cmd.ProcessState.ExitCode(); status != 0 || waited == nil || errors.As(waited, &exit) {
		return &Ending{Status: status}
	}
	return &Ending{} // its pipes were closed under it, and it said itself that all is well
}
