package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// cli is the command line. Each verb's fields stand in the verb's own file.
type cli struct {
	Root string `help:"The project's directory." default:"." type:"existingdir" hidden:""`

	Repro    reproCmd    `cmd:"" help:"Show the fault: HTTP/2 through nginx with a low keepalive_requests."`
	Fixed    fixedCmd    `cmd:"" help:"Show it gone: a high limit, Envoy, and the cures on the client's side."`
	Matrix   matrixCmd   `cmd:"" help:"Measure every topology over both protocols with every client."`
	Clients  clientsCmd  `cmd:"" help:"Measure which client libraries survive, and what cures the others (ONLY=okhttp,node)."`
	Report   reportCmd   `cmd:"" help:"Draw a run's report again from its results.json."`
	Up       upCmd       `cmd:"" help:"Start every topology and leave it up."`
	Down     downCmd     `cmd:"" help:"Stop what up started."`
	Probe    probeCmd    `cmd:"" help:"Ask a server of yours how many requests an HTTP/2 connection gets, and what that means."`
	Lint     lintCmd     `cmd:"" help:"Read a server's configuration: which limits are in effect, and which line to change."`
	Trace    traceCmd    `cmd:"" help:"Show frame by frame how a server of yours ends a connection that is used up."`
	Decode   decodeCmd   `cmd:"" help:"Read an error text or a log: what happened, whether the request was executed, and what to change."`
	Logs     logsCmd     `cmd:"" help:"Read access logs: do connections end at the request limit, how fast, and what does it cost?"`
	Watch    watchCmd    `cmd:"" help:"Watch a server's counters and say when connections are burnt."`
	Advise   adviseCmd   `cmd:"" help:"Say what a limit on requests a connection costs at your traffic, and which one to set."`
	Step     stepCmd     `cmd:"" help:"Verify an exercise of the workshop on your own files, and give a hint."`
	Workshop workshopCmd `cmd:"" help:"Lay out the workshop's exercises in workshop/, leaving what is there alone."`
	Mystery  mysteryCmd  `cmd:"" help:"Start the server of the workshop's exercise 10, or end it."`
	Doctor   doctorCmd   `cmd:"" help:"Say what is here, what is missing and how to get it."`
	Live     liveCmd     `cmd:"" help:"Show a run while it goes on, on a page of this machine."`
	Replay   replayCmd   `cmd:"" help:"Draw a recorded run's report again and play its load back: nothing is measured."`
	Bench    benchCmd    `cmd:"" help:"Measure what the observer costs, and k6 against the Go client."`
	Pin      pinCmd      `cmd:"" help:"Write the images' digests into versions.env."`

	Hold        holdCmd        `cmd:"" hidden:"" help:"Wait for a signal: process 1 of the pod."`
	Healthcheck healthcheckCmd `cmd:"" hidden:"" help:"Ask a server for its health."`
	Hand        handCmd        `cmd:"" hidden:"" help:"Run programs for whoever reaches this container."`
	Reach       reachCmd       `cmd:"" hidden:"" help:"Stand for a program that a hand runs in its container."`
}

// app is what every verb gets: where it is and where its words go. Results go
// to stdout, everything else to stderr.
type app struct {
	ctx            context.Context
	root           string
	stdout, stderr io.Writer
}

// say writes a line for a person to stderr.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.stderr, format+"\n", args...)
}

// run parses args, runs the verb and returns the exit status. It is main
// without the process, so tests call it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	ended := -1 // set when kong wants to leave by itself, after --help
	parser, err := kong.New(&c, kong.Name("h2lab"),
		kong.Description("Why HTTP/2 behind a proxy is slower than HTTP/1.1, and why requests fail with GOAWAY: reproduced, measured, explained."),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { ended = code }))
	if err != nil {
		return fail(stderr, err)
	}
	parsed, err := parser.Parse(args)
	if ended >= 0 {
		return ended
	}
	if err != nil {
		return fail(stderr, usageError{err})
	}
	a := &app{ctx: ctx, root: c.Root, stdout: stdout, stderr: stderr}
	if err := parsed.Run(a); err != nil {
		return fail(stderr, err)
	}
	return statusDone
}

// fail prints an error once and returns its exit status.
func fail(stderr io.Writer, err error) int {
	var silent relayed // its program's own words are on stderr
	if errors.As(err, &silent) {
		return statusOf(err)
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "h2lab: %v\n", err)
	return statusOf(err)
}
