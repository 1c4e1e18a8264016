package podexec

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"h2lab/internal/base/syserr"
)

// Socket is the address of an ecosystem's hand: an abstract name, as the @ indicates.
func Socket(ecosystem string) string { return "@h2lab-hand-" + ecosystem }

// Timeouts of a hand.
const (
	askingTime = 5 * time.Second // for a request, after a connection
	turnTime   = 5 * time.Second // for the program of an earlier request to end
	stopGrace  = time.Second     // between SIGTERM and SIGKILL
)

// hand runs one program at a time: the lab would measure two at once as one.
type hand struct {
	turn     chan struct{} // holds a token while a program runs
	turnTime time.Duration
	env      []string
}

// Serve listens on socket and runs the requested programs, in its own working directory and with
// only PATH and HOME of its environment (the requesting side's PATH is for another container). When
// ctx ends it stops the program and returns nil.
func Serve(ctx context.Context, socket string) error {
	return serve(ctx, socket, turnTime)
}

func serve(ctx context.Context, socket string, turn time.Duration) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if syserr.PortTaken(err) {
		return fmt.Errorf("another runner already listens on %s", socket)
	}
	if err != nil {
		return fmt.Errorf("listening on %s: %w", socket, err)
	}
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	h := &hand{turn: make(chan struct{}, 1), turnTime: turn,
		env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}}
	var attended sync.WaitGroup
	defer attended.Wait()
	for {
		conn, err := l.AcceptUnix()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			l.Close()
			return fmt.Errorf("listening on %s: %w", socket, err)
		}
		attended.Go(func() {
			defer conn.Close()
			h.attend(ctx, newPeer(conn))
		})
	}
}

// attend answers one request.
func (h *hand) attend(ctx context.Context, p *peer) {
	// only fails on a closed connection, as the next line then does
	_ = p.conn.SetReadDeadline(time.Now().Add(askingTime))
	m, err := p.receive()
	if err == nil && len(m.Run) == 0 {
		err = errors.New("it names no program")
	}
	if err == nil {
		err = sameUser(p.conn)
	}
	if err != nil {
		h.refuse(p, fmt.Errorf("the request: %w", err))
		return
	}
	_ = p.conn.SetReadDeadline(time.Time{})
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-time.After(h.turnTime):
		h.refuse(p, errors.New("a program is already running, and a runner runs one at a time"))
		return
	case <-ctx.Done():
		h.refuse(p, errors.New("the runner is being stopped"))
		return
	}
	if err := run(ctx, p, m.Run, h.env); err != nil {
		h.refuse(p, err)
	}
}

// refuse reports why nothing was started. It ignores a peer that no longer listens.
func (h *hand) refuse(p *peer, why error) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(stopGrace))
	_ = p.send(message{Refused: why.Error()})
}
