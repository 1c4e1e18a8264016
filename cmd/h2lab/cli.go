package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
	"h2lab/internal/report/translations"
)

// cli is the command line. Each verb's fields are in the verb's own file. Beside kong's own tags, a verb has:
//
//	on:"docker"    it requires the lab's servers, which run on Linux or in Docker; on:"linux" requires Linux itself
//	checkout:"no"  it runs without the project's checkout
//	english:""     its output is English alone
type cli struct {
	Root string `placeholder:"DIR" help:"The project's checkout. Default: the one that the program lies in."`

	languageFlag `embed:""`

	Repro   reproCmd   `cmd:"" on:"docker" group:"lab" help:"Show the fault: HTTP/2 through nginx with a low keepalive_requests."`
	Fixed   fixedCmd   `cmd:"" on:"docker" group:"lab" help:"Measure broken and cured side by side: a low and a high limit, Envoy, and the cures on the client's side."`
	Matrix  matrixCmd  `cmd:"" on:"docker" group:"lab" help:"Measure every topology over both protocols with every client."`
	Clients clientsCmd `cmd:"" on:"docker" group:"lab" help:"Measure which client libraries survive, and what cures the others."`
	Story   storyCmd   `cmd:"" on:"linux" group:"lab" help:"Measure a Spring service between its users and the proxies: the incident as it was met, the search for it, and its cures."`
	Sweep   sweepCmd   `cmd:"" on:"linux" group:"lab" help:"Compare Spring services over users, waits and delays, or measure where a limit matters (SWEEP=matters)."`
	Report  reportCmd  `cmd:"" group:"lab" help:"Draw a run's report again from its results.json."`
	Merge   mergeCmd   `cmd:"" checkout:"no" group:"lab" help:"Merge the logs of several k6 processes that shared a test by execution segments, and draw one report."`
	Live    liveCmd    `cmd:"" group:"lab" help:"Show a run while it goes on, on a page of 127.0.0.1."`
	Replay  replayCmd  `cmd:"" group:"lab" help:"Draw a recorded run's report again and play back its load. Nothing is measured."`
	Up      upCmd      `cmd:"" on:"docker" group:"lab" help:"Start every topology and leave it running."`
	Down    downCmd    `cmd:"" on:"docker" group:"lab" help:"Stop what up started."`
	Delay   delayCmd   `cmd:"" on:"linux" checkout:"no" english:"" group:"lab" help:"Run a command, such as curl or k6, at a distance from the servers of this machine."`
	Bench   benchCmd   `cmd:"" on:"linux" english:"" group:"lab" help:"Measure what sampling costs, and compare k6 with the Go client."`

	Decode decodeCmd `cmd:"" checkout:"no" group:"now" help:"Read an error text or a log: what happened, whether the request was executed, and what to change."`
	Probe  probeCmd  `cmd:"" checkout:"no" group:"now" help:"Ask a server of yours how many requests an HTTP/2 connection gets, and what that means."`
	Trace  traceCmd  `cmd:"" checkout:"no" group:"now" help:"Show frame by frame how a server of yours ends a connection that is used up."`
	Lint   lintCmd   `cmd:"" checkout:"no" group:"now" help:"Read a server's configuration: which limits are in effect, and which line to change."`
	Logs   logsCmd   `cmd:"" checkout:"no" group:"now" help:"Read access logs: do connections end at the request limit, how fast, and what does it cost?"`
	Watch  watchCmd  `cmd:"" checkout:"no" group:"now" help:"Watch a server's counters and say when connections are wasted."`
	Advise adviseCmd `cmd:"" checkout:"no" group:"now" help:"Say what a limit on requests a connection costs at your traffic, and which one to set."`

	Workshop workshopCmd `cmd:"" group:"teaching" help:"Copy the files of the workshop's exercises to workshop/. Existing files are kept."`
	Step     stepCmd     `cmd:"" on:"linux" group:"teaching" help:"Check an exercise of the workshop on your own files, and give a hint."`
	Mystery  mysteryCmd  `cmd:"" on:"linux" group:"teaching" help:"Start or stop the server of the workshop's exercise 10."`

	Doctor doctorCmd `cmd:"" group:"setup" help:"List what is installed, what is missing and how to get it."`
	Pin    pinCmd    `cmd:"" english:"" group:"setup" help:"Write the images' digests into versions.env."`

	Version    versionCmd    `cmd:"" checkout:"no" english:"" group:"setup" help:"Print the version, the commit and the date of this h2lab. The same as h2lab --version."`
	Completion completionCmd `cmd:"" checkout:"no" english:"" group:"setup" help:"Print a script that completes h2lab's command lines in your shell."`

	Man         manCmd         `cmd:"" checkout:"no" english:"" hidden:"" help:"Print the manual page."`
	Knobs       knobsCmd       `cmd:"" checkout:"no" english:"" hidden:"" help:"Check the variables of make's command line."`
	Inside      insideCmd      `cmd:"" on:"linux" english:"" hidden:"" help:"Measure in the pod, as the h2lab on the host ordered."`
	Hold        holdCmd        `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Wait for a signal: process 1 of the pod."`
	Healthcheck healthcheckCmd `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Send a request to a server: the health check of a container."`
	Become      becomeCmd      `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Run a server in a container as the owner of a file."`
	Hand        handCmd        `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Run the programs that h2lab reach requests, in a client container."`
	Reach       reachCmd       `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Run a program in a client container, through its h2lab hand."`
}

// app is what every verb gets: the checkout and the outputs. Results go to stdout, everything else
// to stderr. Both outputs escape terminal control sequences; text.Raw returns the unescaped writer,
// for the output of other programs and h2lab's own colours.
type app struct {
	ctx            context.Context
	root           string                // the checkout; may be empty for a verb that runs without one
	language       translations.Language // of what it prints
	given          plan.Given
	named          bool // the user has named the language
	stdout, stderr io.Writer
	host           *runs.Order // inside the pod: what the h2lab on the host ordered
	system         string      // the operating system, as runtime.GOOS; tests set another one
}

// message writes a line for the user to stderr.
func (a *app) message(format string, args ...any) {
	fmt.Fprintf(a.stderr, format+"\n", args...)
}

// run parses args, runs the verb and returns the exit status. It doesn't touch the process, so that
// tests can call it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return runOn(ctx, runtime.GOOS, args, stdout, stderr)
}

func runOn(ctx context.Context, system string, args []string, stdout, stderr io.Writer) int {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// Verbs print text from files, servers and logs: control sequences in it are escaped.
	out := text.NewWriter(&checkedWriter{to: stdout, closed: stop})
	errs := text.NewWriter(&checkedWriter{to: stderr, closed: stop})
	a := &app{ctx: ctx, stdout: out, stderr: errs, system: system}
	return a.finished(a.run(args))
}

func (a *app) run(args []string) error {
	args = asVersion(args)
	var c cli
	ended := false // set when kong exits, after --help
	ks := &knobs{verb: verbOf(args)}
	parser, err := newParser(&c, ks, kong.Writers(a.stdout, a.stderr), kong.Exit(func(int) { ended = true }))
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if ended {
		return nil
	}
	if err != nil {
		return misused(err)
	}
	a.given = ks.given(parsed)
	if err := a.given.Conflict(); err != nil {
		return exitstatus.WrongUsage(err)
	}
	for _, miss := range ks.nearMisses(os.Environ()) {
		a.message("h2lab: warning: %s", miss)
	}
	verb := parsed.Selected()
	if err := needs(verb).Refusal(verb.Name, a.system); err != nil {
		return err
	}
	if err := a.setLanguage(c.languageFlag, verb); err != nil {
		return err
	}
	if a.root, err = findRoot(c.Root, verb.Name, needsCheckout(verb)); err != nil {
		return err
	}
	return parsed.Run(a)
}

// needs is what a verb requires of the operating system.
func needs(verb *kong.Node) system.Needs { return system.Needs(verb.Tag.Get("on")) }

// needsCheckout reports whether a verb works in the checkout. Some do so only without arguments that name other places.
func needsCheckout(verb *kong.Node) bool {
	placed, ok := verb.Target.Addr().Interface().(interface{ elsewhere() bool })
	return verb.Tag.Get("checkout") != "no" && !(ok && placed.elsewhere())
}

// fail prints an error once and returns its exit status.
func (a *app) fail(err error) int {
	var silent relayed // its program has printed the reason
	if errors.As(err, &silent) {
		return statusOf(err)
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	line := err.Error()
	if !a.inRoot() && makeTargets.MatchString(line) { // the next step must run in the checkout
		line += "; make is run in " + a.show(a.root)
	}
	a.message("h2lab: %s", line)
	return statusOf(err)
}
