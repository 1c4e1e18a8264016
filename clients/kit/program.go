package kit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"
)

// The exit statuses, as everywhere in the lab.
const (
	Done       = 0
	CouldNot   = 1
	WrongUsage = 2
	IsMissing  = 3
)

// Errors that decide the exit status; any other error gives CouldNot.
var (
	ErrUsage   = errors.New("wrong usage") // a wrong command line
	ErrMissing = errors.New("missing")     // something required is not there
	// ErrProtocol ends the run, because its figures would be reported for the wrong protocol.
	ErrProtocol = errors.New("wrong protocol")
)

// Program is one client program. One of New and NewBatch is set.
type Program struct {
	Name        string
	Description string   // one sentence for --help
	Variants    []string // accepted by --variant; the first is the default
	Pools       bool     // whether --pools may be other than 1
	// New makes the one object that all workers share.
	New func(Flags) (Subject, error)
	// NewBatch is for a client that sends its requests itself, such as a command-line tool.
	NewBatch func(Flags) (Batch, error)
	// Users are the variants that are no clients of a TLS front but users of a service on this machine,
	// over plain HTTP/1.1. They send their requests themselves.
	Users map[string]func(Flags) (Batch, error)
}

// Account is what every subject reports about itself.
type Account interface {
	// Library returns the name and version, such as "net/http". A subject that doesn't run in this
	// Go program also has Runtime() string, one that can tell how long its connects and handshakes took
	// Times() Times.
	Library() string
	// Counts returns the counts since the program started; a window is the difference of two.
	Counts() Counts
	// Close stops the subject and everything that it started.
	Close()
}

// Subject is a library whose calls this package makes, in a closed loop or at a rate.
type Subject interface {
	Account
	// Send makes one call and reads its answer to the end. It returns nil when the call succeeded,
	// and an error only for what must end the program. ctx is cancelled when the harness's patience
	// is over; it has no deadline, because a library might act on a deadline or send it to the
	// server.
	Send(ctx context.Context, call Call) (*Failure, error)
}

// Batch sends all requests of a window itself.
type Batch interface {
	Account
	// Window sends requests for about d. phase, "warm" or "run", is part of every id.
	Window(ctx context.Context, phase string, d time.Duration) (*Tally, error)
}

// Call is one call of the loop.
type Call struct {
	Worker int    // 0 to concurrency-1
	ID     string // unique in the run; goes into the header IDHeader
	Body   []byte // shared by all calls: don't write to it
}

// IDHeader carries a call's id: the backend counts requests that have it.
const IDHeader = "X-Lab-Request-Id"

// Failure is the reason why a call didn't succeed.
type Failure struct {
	Kind    string // Transport or Status
	Message string // as the library's user would see it, in one line
	hung    bool
}

// The kinds of failure.
const (
	Transport = "transport"
	Status    = "status"
)

// Main runs a program and returns the exit status. On a signal it first stops what the program
// started.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, p Program) int {
	f, helped, err := parse(args, stdout, stderr, p)
	if helped {
		return Done
	}
	if err == nil {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		defer stop()
		err = measure(ctx, p, f, newTalk(f.JSON, stdin, stdout), stdout)
	}
	if err == nil {
		return Done
	}
	fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
	switch {
	case errors.Is(err, ErrUsage):
		return WrongUsage
	case errors.Is(err, ErrMissing):
		return IsMissing
	}
	return CouldNot
}

// begin makes the program's subject, and the function that runs a window.
func (p Program) begin(f Flags) (Account, func(context.Context, string, time.Duration) (*Tally, error), error) {
	batch := p.NewBatch
	if users, ok := p.Users[f.Variant]; ok {
		batch = users
	}
	if batch != nil {
		b, err := batch(f)
		if err != nil {
			return nil, nil, err
		}
		return b, b.Window, nil
	}
	s, err := p.New(f)
	if err != nil {
		return nil, nil, err
	}
	l := loop{flags: f, subject: s, body: f.Body()}
	if f.Rate > 0 {
		return s, (&openLoop{l}).window, nil
	}
	return s, l.window, nil
}

// measure runs the program's steps: warm-up and measured window, each started by internal/lab/load,
// then the answer.
func measure(ctx context.Context, p Program, f Flags, t *talk, stdout io.Writer) error {
	subject, window, err := p.begin(f)
	if err != nil {
		return err
	}
	defer subject.Close()
	if err := t.meet(ctx, "READY"); err != nil {
		return err
	}
	warm, err := window(ctx, "warm", f.Warmup)
	if err != nil {
		return err
	}
	if err := warm.anySucceeded(); err != nil {
		return err
	}
	if err := t.meet(ctx, "WARM"); err != nil {
		return err
	}
	timer, _ := subject.(interface{ Times() Times })
	if timer != nil {
		timer.Times() // forget the warm-up's
	}
	before := subject.Counts()
	w, err := window(ctx, "run", f.Duration)
	if err != nil {
		return err
	}
	if err := t.meet(ctx, "DONE"); err != nil {
		return err
	}
	a, err := newAnswer(warm, w, before, subject.Counts())
	if err != nil {
		return fmt.Errorf("its histogram: %w", err)
	}
	if timer != nil {
		a.Times = timer.Times()
	}
	a.Library = subject.Library()
	if r, ok := subject.(interface{ Runtime() string }); ok {
		a.Runtime = r.Runtime()
	}
	if f.JSON {
		return a.writeJSON(stdout)
	}
	return a.writeText(stdout, f.Variant)
}
