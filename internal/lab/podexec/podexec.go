// Package podexec starts a program in another container of the pod.
//
// Under Docker everything that measures runs in one container, which has only static programs, and
// a client program needs a container with its toolchain. An agent waits there (h2lab pod-exec-serve): on
// request it starts one program, passes stdin, stdout and stderr on, and reports how it ended. On
// the measuring side a relay (h2lab pod-exec) takes the program's place, with the same input, output
// and exit status, so that package load needs no code for containers.
//
// They connect through an abstract Unix socket. Relay and agent share the network namespace of
// such a name, at the far end of a distance too. Unlike a file, the name needs no common directory and disappears with the process
// that holds it. They exchange JSON, one object a message (message.go).
package podexec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/system"
)

// message is one step of the protocol; exactly one of its fields is set.
//
// relay → agent: run, then stdin… and eof. Closing its side ends the program.
// agent → relay: refused; or pid, then stdout… and stderr…, and ended as the last.
type message struct {
	Run   []string `json:"run,omitempty"`
	Stdin []byte   `json:"stdin,omitempty"`
	EOF   bool     `json:"eof,omitempty"`

	Refused string  `json:"refused,omitempty"`
	Pid     int     `json:"pid,omitempty"`
	Stdout  []byte  `json:"stdout,omitempty"`
	Stderr  []byte  `json:"stderr,omitempty"`
	Ended   *Ending `json:"ended,omitempty"`
}

// Ending is how a program ended: with a status, or by a signal.
type Ending struct {
	Status int    `json:"status"` // 128 + its number for a signal, as in a shell
	Signal string `json:"signal,omitempty"`
}

// peer is the other end of a connection.
type peer struct {
	conn *net.UnixConn
	in   *json.Decoder

	mu  sync.Mutex // two goroutines send stdout and stderr
	out *json.Encoder
}

func newPeer(conn *net.UnixConn) *peer {
	in := json.NewDecoder(conn)
	in.DisallowUnknownFields()
	return &peer{conn: conn, in: in, out: json.NewEncoder(conn)}
}

func (p *peer) send(m message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Encode(m)
}

// sendAhead sends what begin returns before any message that begin causes. Its error is begin's;
// receive reports a closed connection.
func (p *peer) sendAhead(begin func() (message, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	m, err := begin()
	if err == nil {
		_ = p.out.Encode(m)
	}
	return err
}

// receive returns the next message. The error for an invalid message is not a network error, so
// that callers can distinguish the two.
func (p *peer) receive() (m message, err error) {
	err = p.in.Decode(&m)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		err = fmt.Errorf("it is not a message of h2lab: %w", err)
	}
	return m, err
}

// stream sends what a program writes.
type stream struct {
	to   *peer
	wrap func([]byte) message
}

// Write implements io.Writer.
func (s stream) Write(b []byte) (int, error) {
	if err := s.to.send(s.wrap(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Socket is the address of an ecosystem's agent: an abstract name, as the @ indicates.
func Socket(ecosystem string) string { return "@h2lab-pod-exec-" + ecosystem }

// Timeouts of an agent.
const (
	askingTime = 5 * time.Second // for a request, after a connection
	turnTime   = 5 * time.Second // for the program of an earlier request to end
	stopGrace  = time.Second     // between SIGTERM and SIGKILL
)

// agent runs one program at a time: the lab would measure two at once as one.
type agent struct {
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
	if system.PortTaken(err) {
		return fmt.Errorf("another runner already listens on %s", socket)
	}
	if err != nil {
		return fmt.Errorf("listening on %s: %w", socket, err)
	}
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	a := &agent{turn: make(chan struct{}, 1), turnTime: turn,
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
			a.attend(ctx, newPeer(conn))
		})
	}
}

// attend answers one request.
func (a *agent) attend(ctx context.Context, p *peer) {
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
		a.refuse(p, fmt.Errorf("the request: %w", err))
		return
	}
	_ = p.conn.SetReadDeadline(time.Time{})
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-time.After(a.turnTime):
		a.refuse(p, errors.New("a program is already running, and a runner runs one at a time"))
		return
	case <-ctx.Done():
		a.refuse(p, errors.New("the runner is being stopped"))
		return
	}
	if err := run(ctx, p, m.Run, a.env); err != nil {
		a.refuse(p, err)
	}
}

// refuse reports why nothing was started. It ignores a peer that no longer listens.
func (a *agent) refuse(p *peer, why error) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(stopGrace))
	_ = p.send(message{Refused: why.Error()})
}

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
			// A peer that no longer reads must not block the agent.
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

// ending is how the program ended, for the peer. Errors of its pipes, which the agent closed, are
// not the program's.
func ending(c *child.Child) *Ending {
	if sig := c.Signalled(); sig != 0 {
		return &Ending{Status: 128 + int(sig), Signal: sig.String()}
	}
	return &Ending{Status: c.Status()}
}

// Timeouts of the requesting side.
const (
	dialTime = 10 * time.Second // for an agent that may be starting with its container
	partTime = 3 * time.Second  // for the ending after a cancel
)

// Streams are a program's three.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Exec makes the agent on socket run argv with these streams, and returns how the program ended.
// When ctx ends, the agent stops the program, and Exec still returns its ending. While it runs, Pid
// returns its process.
func Exec(ctx context.Context, socket string, argv []string, s Streams) (Ending, error) {
	return execute(ctx, socket, argv, s, dialTime)
}

func execute(ctx context.Context, socket string, argv []string, s Streams, patience time.Duration) (Ending, error) {
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
		_ = conn.CloseWrite() // the agent then stops the program and reports its ending
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

// relay passes the agent's messages on until the program has ended.
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

// dial waits for an agent that doesn't listen yet: Compose reports a container as started before its
// process listens.
func dial(ctx context.Context, socket string, patience time.Duration) (*net.UnixConn, error) {
	for deadline := time.Now().Add(patience); ; {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
		if err == nil {
			return conn, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("no runner (h2lab pod-exec-serve) answers on %s (%w); is its container up? docker "+
				"compose ps", socket, err)
		}
		if err := await.Pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// noteName begins the name of the memory file by which a relay reports the process it stands for. /proc shows the
// name to the pod's other processes. There may be no writable directory, a socket's name would be unknown in another
// network namespace, where a distance puts the relay, and a killed relay leaves no such file behind.
const noteName = "h2lab-pod-exec-"

// Pid is the process that does the work: for a relay, the program it stands for, as seen in the
// pod's shared PID namespace; for any other process itself. It is known from the program's first
// line of output until its end.
func Pid(pid int) int {
	for _, file := range memoryFiles(pid) {
		if of, is := strings.CutPrefix(file, noteName); is {
			if of, err := strconv.Atoi(of); err == nil && of > 0 {
				return of
			}
		}
	}
	return pid
}

// say reports the pid that this relay stands for, until stop.
func say(pid int) (stop func(), err error) { return memoryFile(noteName + strconv.Itoa(pid)) }
