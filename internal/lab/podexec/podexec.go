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
// that holds it. The relay sends one request with its own three streams as file descriptors, so that the program
// has them itself; the agent's answers are JSON, one object each.
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

// request is what a relay sends. Closing its side ends the program.
type request struct {
	Run []string `json:"run"`
}

// answer is one of the agent's: refused; or pid, and then ended.
type answer struct {
	Refused string  `json:"refused,omitempty"`
	Pid     int     `json:"pid,omitempty"`
	Ended   *Ending `json:"ended,omitempty"`
}

// Ending is how a program ended: with a status, or by a signal.
type Ending struct {
	Status int    `json:"status"` // 128 + its number for a signal, as in a shell
	Signal string `json:"signal,omitempty"`
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
	if system.PortTaken.Is(err) {
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
			if err := a.attend(ctx, conn); err != nil {
				tell(conn, answer{Refused: err.Error()})
			}
		})
	}
}

// tell sends an answer. It ignores a relay that no longer listens.
func tell(conn *net.UnixConn, a answer) {
	_ = conn.SetWriteDeadline(time.Now().Add(stopGrace))
	_ = json.NewEncoder(conn).Encode(a)
}

// attend carries out one request. Its error says why nothing was started.
func (a *agent) attend(ctx context.Context, conn *net.UnixConn) error {
	// only fails on a closed connection, as the next line then does
	_ = conn.SetReadDeadline(time.Now().Add(askingTime))
	words, streams, err := receive(conn)
	defer func() {
		for _, f := range streams {
			_ = f.Close()
		}
	}()
	var r request
	if err == nil {
		err = json.Unmarshal(words, &r)
	}
	if err == nil && (len(r.Run) == 0 || len(streams) != 3) {
		err = fmt.Errorf("it names no program, or has %d streams", len(streams))
	}
	if err == nil {
		err = sameUser(conn)
	}
	if err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	_ = conn.SetReadDeadline(time.Time{})
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-time.After(a.turnTime):
		return errors.New("a program is already running, and a runner runs one at a time")
	case <-ctx.Done():
		return errors.New("the runner is being stopped")
	}
	return a.run(ctx, conn, r.Run, streams)
}

// run starts a program with a relay's streams and returns when the program and its group have ended. The relay gets
// the program's ending.
func (a *agent) run(ctx context.Context, conn *net.UnixConn, argv []string, streams []*os.File) error {
	c, err := child.Start(child.Spec{Argv: argv, Dir: ".", Env: a.env, Stdin: streams[0], Stdout: streams[1], Stderr: streams[2]})
	for _, f := range streams {
		_ = f.Close() // the program has its own
	}
	if err != nil {
		return fmt.Errorf("starting it: %w", err)
	}
	tell(conn, answer{Pid: c.PID})
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = conn.Read(make([]byte, 1)) // a relay says nothing more until it closes its side
	}()
	select {
	case <-c.Exited():
	case <-gone:
	case <-ctx.Done():
	}
	if err := c.Stop(context.WithoutCancel(ctx), child.Manner{Grace: stopGrace, Group: true}); err != nil {
		return err
	}
	tell(conn, answer{Ended: ending(c)})
	return nil
}

// ending is how the program ended, for the relay.
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

// Exec makes the agent on socket run argv with three streams, stdin, stdout and stderr, and returns how the program
// ended. When ctx ends, the agent stops the program, and Exec still returns its ending. While it runs, Pid returns its
// process.
func Exec(ctx context.Context, socket string, argv []string, streams [3]*os.File) (Ending, error) {
	return execute(ctx, socket, argv, streams, dialTime)
}

func execute(ctx context.Context, socket string, argv []string, streams [3]*os.File, patience time.Duration) (Ending, error) {
	if len(argv) == 0 {
		return Ending{}, errors.New("there is no program to run: name one after --")
	}
	conn, err := dial(ctx, socket, patience)
	if err != nil {
		return Ending{}, err
	}
	defer conn.Close()
	words, err := json.Marshal(request{argv})
	if err == nil {
		err = send(conn, words, streams[:])
	}
	if err != nil {
		return Ending{}, fmt.Errorf("asking the runner on %s: %w", socket, err)
	}
	stop := context.AfterFunc(ctx, func() {
		_ = conn.CloseWrite() // the agent then stops the program and reports its ending
		_ = conn.SetReadDeadline(time.Now().Add(partTime))
	})
	defer stop()
	return relay(json.NewDecoder(conn), socket)
}

// relay waits until the program has ended.
func relay(answers *json.Decoder, socket string) (Ending, error) {
	for {
		var a answer
		err := answers.Decode(&a)
		switch {
		case err != nil:
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = errors.New("it has ended")
			}
			return Ending{}, fmt.Errorf("the runner on %s: %w; its container's output: docker compose logs", socket, err)
		case a.Refused != "":
			return Ending{}, fmt.Errorf("the runner on %s rejects the request: %s", socket, a.Refused)
		case a.Ended != nil:
			return *a.Ended, nil
		}
		quiet, err := say(a.Pid)
		if err != nil {
			return Ending{}, err
		}
		defer quiet()
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
// pod's shared PID namespace; for any other process itself. It is known from shortly after the program's
// start until its end.
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
