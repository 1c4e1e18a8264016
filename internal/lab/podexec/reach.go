package podexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"h2lab/internal/base/await"
)

// Timeouts of the requesting side.
const (
	dialTime = 10 * time.Second // for a hand that may be starting with its container
	partTime = 3 * time.Second  // for the ending after a cancel
)

// Streams are a program's three.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Reach makes the hand on socket run argv with these streams, and returns how the program ended.
// When ctx ends, the hand stops the program, and Reach still returns its ending. While it runs, Pid
// returns its process.
func Reach(ctx context.Context, socket string, argv []string, s Streams) (Ending, error) {
	return reach(ctx, socket, argv, s, dialTime)
}

func reach(ctx context.Context, socket string, argv []string, s Streams, patience time.Duration) (Ending, error) {
	if len(argv) == 0 {
		return Ending{}, errors.New("there is no program to run: name one after --")
	}
	conn, err := dial(ctx, socket, patience)
	if err != nil {
		return Ending{}, err
	}
	defer conn.Close()
	p := newPeer(conn)
	if err := p.send(message{Run: argv}); err != nil {
		return Ending{}, fmt.Errorf("asking the runner on %s: %w", socket, err)
	}
	stop := context.AfterFunc(ctx, func() {
		_ = conn.CloseWrite() // the hand then stops the program and reports its ending
		_ = conn.SetReadDeadline(time.Now().Add(partTime))
	})
	defer stop()
	go func() {
		in := stream{p, func(b []byte) message { return message{Stdin: b} }}
		if _, err := io.Copy(in, s.Stdin); err == nil {
			_ = p.send(message{EOF: true}) // ignored if the program has ended
		}
	}()
	return relay(p, socket, s)
}

// relay passes the hand's messages on until the program has ended.
func relay(p *peer, socket string, s Streams) (Ending, error) {
	for {
		m, err := p.receive()
		switch {
		case err != nil:
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = errors.New("it has ended")
			}
			return Ending{}, fmt.Errorf("the runner on %s: %w; its container's output: docker compose logs", socket, err)
		case m.Refused != "":
			return Ending{}, fmt.Errorf("the runner on %s rejects the request: %s", socket, m.Refused)
		case m.Ended != nil:
			return *m.Ended, nil
		case m.Pid != 0:
			var quiet func()
			if quiet, err = say(m.Pid); err == nil {
				defer quiet()
			}
		case len(m.Stdout) > 0:
			_, err = s.Stdout.Write(m.Stdout)
		case len(m.Stderr) > 0:
			_, err = s.Stderr.Write(m.Stderr)
		default:
			err = errors.New("the runner sent an unknown message")
		}
		if err != nil {
			return Ending{}, err
		}
	}
}

// dial waits for a hand that doesn't listen yet: Compose reports a container as started before its
// process listens.
func dial(ctx context.Context, socket string, patience time.Duration) (*net.UnixConn, error) {
	for deadline := time.Now().Add(patience); ; {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
		if err == nil {
			return conn, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("no runner (h2lab hand) answers on %s (%w); is its container up? docker "+
				"compose ps", socket, err)
		}
		if err := await.Pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}
