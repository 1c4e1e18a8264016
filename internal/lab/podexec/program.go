package podexec

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"h2lab/internal/base/child"
)

// unread is how many messages for stdin may wait for a program that doesn't read them. The protocol
// has three.
const unread = 1024

// run starts a program for a peer and returns when the program and its group have ended. Its error
// says why the program could not be started; the peer gets the program's ending.
func run(ctx context.Context, p *peer, argv, env []string) error {
	in, stdin, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("a pipe to it: %w", err)
	}
	var c *child.Child
	err = p.sendAhead(func() (message, error) {
		var err error
		c, err = child.Start(child.Spec{Argv: argv, Env: env, Stdin: in,
			Stdout: stream{p, func(b []byte) message { return message{Stdout: b} }},
			Stderr: stream{p, func(b []byte) message { return message{Stderr: b} }},
			// A peer that no longer reads must not block the hand.
			Ended: func() { _ = p.conn.SetWriteDeadline(time.Now().Add(stopGrace)) }})
		if err != nil {
			return message{}, fmt.Errorf("starting it: %w", err)
		}
		return message{Pid: c.PID}, nil
	})
	in.Close() // the program has its own
	if err != nil {
		stdin.Close()
		return err
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		feed(p, stdin)
	}()
	select {
	case <-c.Exited():
	case <-gone:
	case <-ctx.Done():
	}
	stopped := c.Stop(context.WithoutCancel(ctx), child.Manner{Grace: stopGrace, Group: true})
	if stopped != nil {
		return stopped
	}
	_ = p.send(message{Ended: ending(c)})
	return nil
}

// feed passes the peer's stdin on until the peer closes, sends an invalid message, or sends far
// more than the program reads.
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
				return // it no longer reads its input, which is not an error
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

// ending is how the program ended, for the peer. Errors of its pipes, which the hand closed, are
// not the program's.
func ending(c *child.Child) *Ending {
	if sig := c.Signalled(); sig != 0 {
		return &Ending{Status: 128 + int(sig), Signal: sig.String()}
	}
	return &Ending{Status: c.Status()}
}
