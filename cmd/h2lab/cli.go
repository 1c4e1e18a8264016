package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/program"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
)

// cli is the command line. Each verb's fields are in the verb's own file. Beside kong's own tags, a verb has:
//
//	on:"docker"    it requires the lab's servers, which run on Linux or in Docker; on:"linux" requires Linux itself
//	checkout:"no"  it runs without the project's checkout
//	english:""     its output is English alone
type cli struct {
	Root string `placeholder:"DIR" help:"The project's checkout. Default: the one that the program lies in."`

	languageFlag `embed:""`

	Repro   measureCmd `cmd:"" on:"docker" group:"lab" help:"Show the fault: HTTP/2 through nginx with a low keepalive_requests."`
	Fixed   measureCmd `cmd:"" on:"docker" group:"lab" help:"Measure broken and cured side by side: a low and a high limit, Envoy, and the cures on the client's side."`
	Matrix  measureCmd `cmd:"" on:"docker" group:"lab" help:"Measure every topology over both protocols with every client."`
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

	Complete     completeCmd     `cmd:"" checkout:"no" english:"" hidden:"" help:"Print what can follow a command line, for the completion scripts."`
	Man          manCmd          `cmd:"" checkout:"no" english:"" hidden:"" help:"Print the manual page."`
	Knobs        knobsCmd        `cmd:"" checkout:"no" english:"" hidden:"" help:"Check the variables of make's command line."`
	Inside       insideCmd       `cmd:"" on:"linux" english:"" hidden:"" help:"Measure in the pod, as the h2lab on the host ordered."`
	Hold         holdCmd         `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Wait for a signal: process 1 of the pod."`
	Healthcheck  healthcheckCmd  `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Send a request to a server: the health check of a container."`
	Become       becomeCmd       `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Run a server in a container as the owner of a file."`
	PodExecServe podExecServeCmd `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Run the programs that h2lab pod-exec requests, in a client container."`
	PodExec      podExecCmd      `cmd:"" on:"linux" checkout:"no" english:"" hidden:"" help:"Run a program in a client container, through its h2lab pod-exec-serve."`
}

// app is what every verb gets: the checkout and the outputs. Results go to stdout, everything else
// to stderr. Both outputs escape terminal control sequences; text.Raw returns the unescaped writer,
// for the output of other programs and h2lab's own colours.
type app struct {
	ctx            context.Context
	root           string         // the checkout; may be empty for a verb that runs without one
	language       texts.Language // of what it prints
	given          plan.Given
	verb           string
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
	a.verb = verb.Name
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

func (c *reportCmd) elsewhere() bool { return len(c.Runs) > 0 || c.Results != "" }
func (c *liveCmd) elsewhere() bool   { return c.Results != "" }
func (c *replayCmd) elsewhere() bool { return c.Recorded != "" && c.Results != "" }

// self is the running program; tests name another one.
var self = program.This

// findRoot returns the checkout that a verb works in: the one that --root names, or the program's
// own. It is an absolute path, or empty where there is none.
func findRoot(named string, verb string, needed bool) (string, error) {
	if named != "" {
		if err := program.Verify(named); err != nil {
			return "", exitstatus.WrongUsage(fmt.Errorf("--root %s is no checkout of h2-keepalive-lab: "+
				"go.mod of the module h2lab or versions.env is not in it", named))
		}
		return filepath.Abs(named)
	}
	theProgram, err := self()
	if err != nil {
		return "", err
	}
	root, err := theProgram.Find()
	if err == nil {
		return root, nil
	}
	if !errors.Is(err, program.ErrNoCheckout) || needed {
		return "", exitstatus.Lacks(fmt.Errorf("%s needs the project's checkout, and %s lies in none; "+
			"next: run bin/h2lab of a checkout (make build), or name one: h2lab --root DIR %s", verb,
			theProgram.Path, verb))
	}
	return "", nil
}

// inRoot reports whether the working directory is the checkout, or there is no checkout: then make
// needs no -C.
func (a *app) inRoot() bool {
	if a.root == "" {
		return true
	}
	root, errA := os.Stat(a.root)
	dir, errB := os.Stat(".")
	return errA == nil && errB == nil && os.SameFile(root, dir)
}

// show formats a path so that a user can paste it: relative where it is below the working
// directory, else absolute.
func (a *app) show(path string) string {
	if a.host != nil && a.host.ShownRoot != "" {
		if rel, ok := below(a.root, path); ok {
			return filepath.Join(a.host.ShownRoot, rel)
		}
	}
	if rel, ok := below(".", path); ok {
		return rel
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// command returns a make target as a command line that a user can paste.
func (a *app) command(target string) string {
	if a.inRoot() {
		return "make " + target
	}
	return "make -C " + text.ShellWord(a.show(a.root)) + " " + target
}

// below returns path relative to dir, where it is below dir.
func below(dir, path string) (string, bool) {
	a, errA := filepath.Abs(dir)
	b, errB := filepath.Abs(path)
	if errA != nil || errB != nil {
		return "", false
	}
	rel, err := filepath.Rel(a, b)
	return rel, err == nil && filepath.IsLocal(rel)
}

// resultsDir is the directory of runs: the one that the user gave, else results/ of the checkout.
func (a *app) resultsDir(typed string) string {
	if typed == "" {
		return filepath.Join(a.root, "results")
	}
	return typed
}

// ownResults reports whether runs are kept in results/ of the checkout, the only directory that the
// pod writes to.
func (a *app) ownResults(typed string) bool {
	rel, ok := below(a.root, a.resultsDir(typed))
	return ok && rel == "results"
}

// placeForResults rejects a results directory in which runs would be mixed with other files, or
// which another command removes.
func (a *app) placeForResults(typed string) error {
	dir, wrong := a.resultsDir(typed), ""
	switch owner := program.Owner(a.root, dir); {
	case typed != "" && (dir == "~" || strings.HasPrefix(dir, "~/")):
		wrong = fmt.Sprintf(": no shell has replaced the ~; write the whole path: RESULTS=\"$HOME%s\"", dir[1:])
	case a.root == "" || owner == "":
		return nil
	case owner == ".":
		wrong = " is the checkout itself: runs would lie among its files; choose a directory of their own, such as RESULTS=results"
	default:
		wrong = fmt.Sprintf(" lies in %s/, which is the project's own; choose another directory, such as RESULTS=results", owner)
	}
	return exitstatus.WrongUsage(fmt.Errorf("RESULTS=%s%s", typed, wrong))
}

// groups are the groups of verbs in the help, in this order.
var groups = []kong.Group{
	{Key: "lab", Title: "The lab", Description: "Measure the fault on this machine."},
	{Key: "now", Title: "Something fails now",
		Description: "Look at servers, clients and logs of your own. These need no checkout."},
	{Key: "teaching", Title: "Teaching", Description: "The workshop of docs/workshop."},
	{Key: "setup", Title: "Set-up"},
}

// newParser makes the parser that run and the tests share.
func newParser(c *cli, ks *knobs, more ...kong.Option) (*kong.Kong, error) {
	more = append(numbers(), more...)
	return kong.New(c, append([]kong.Option{kong.Name("h2lab"),
		kong.Description("Why HTTP/2 behind a proxy is slower than HTTP/1.1, and why requests fail with GOAWAY: " +
			"reproduced, measured, explained."),
		kong.ExplicitGroups(groups), kong.PostBuild(ks.read)}, more...)...)
}

// misused is kong's error about a command line, with a next step where kong's text has none.
func misused(err error) error {
	var p *kong.ParseError
	if !errors.As(err, &p) || strings.Contains(err.Error(), "did you mean") {
		return exitstatus.WrongUsage(err)
	}
	var verb *kong.Node
	if p.Context != nil {
		verb = p.Context.Selected()
	}
	help := "h2lab --help"
	if verb != nil {
		help = "h2lab " + verb.Name + " --help"
	}
	switch text := err.Error(); {
	case verb != nil && strings.HasPrefix(text, `expected "<`):
		if example := firstExample.FindStringSubmatch(verb.Detail); example != nil {
			help = example[1]
		}
	case strings.HasPrefix(text, "expected "), strings.HasPrefix(text, "unexpected argument"),
		strings.HasPrefix(text, "unknown flag"):
	default:
		return exitstatus.WrongUsage(err)
	}
	return exitstatus.WrongUsage(fmt.Errorf("%w; try: %s", err, help))
}

var firstExample = regexp.MustCompile(`(?m)^ *(h2lab .*)$`)

// makeTargets are the targets of the Makefile that messages name; a test compares both.
var makeTargets = regexp.MustCompile(`\bmake (build|repro|fixed|matrix|clients|story|sweep|report|live|replay|up|down|` +
	`workshop|step|slides|doctor|certs|tools|shell|test|unit|integration|check-clients|e2e|check|bench|golden|lint|pin|` +
	`bundle|dist|clean)\b`)

// numbers are the readers of numbers and durations. kong's own read 0100 as 64 and 0x10 as 16, and
// their errors speak of bits.
func numbers() []kong.Option {
	unsigned := word("number", func(s string, to reflect.Value) error {
		n, err := strconv.ParseUint(s, 10, to.Type().Bits())
		to.SetUint(n)
		return wholeNumber(s, err)
	})
	return []kong.Option{
		kong.KindMapper(reflect.Int, word("number", func(s string, to reflect.Value) error {
			n, err := strconv.ParseInt(s, 10, to.Type().Bits())
			to.SetInt(n)
			return wholeNumber(s, err)
		})),
		kong.KindMapper(reflect.Uint32, unsigned), kong.KindMapper(reflect.Uint64, unsigned),
		kong.KindMapper(reflect.Float64, word("number", func(s string, to reflect.Value) error {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
				return fmt.Errorf("%q is not a number, for example 0.5", s)
			}
			to.SetFloat(f)
			return nil
		})),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), word("duration", func(s string, to reflect.Value) error {
			d, err := time.ParseDuration(s)
			if err != nil {
				return fmt.Errorf("%q is not a duration with its unit, for example 300ms, 5s or 2m", s)
			}
			to.SetInt(int64(d))
			return nil
		})),
	}
}

// word is a mapper that reads one word of the command line or of an environment variable.
func word(what string, read func(string, reflect.Value) error) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var s string
		if err := ctx.Scan.PopValueInto(what, &s); err != nil {
			return err
		}
		return read(s, target)
	}
}

func wholeNumber(s string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%q is too large a number", s)
	}
	if err != nil {
		return fmt.Errorf("%q is not a whole number written in digits, for example 1000", s)
	}
	return nil
}

// Results and guidance are in the user's language. Error messages, --help and JSON stay English: an error message is
// what a user searches for and what an issue quotes, and JSON is for programs.

// languageFlag is the flag of every verb for the language of its output.
type languageFlag struct {
	Lang string `placeholder:"en|zh" help:"Language of the output: en or zh. Default: that of the locale."`
}

// language returns the output's language, and whether the user has named it. Of the environment POSIX reads LC_ALL before
// LC_MESSAGES, and that before LANG (XBD, 8.2 Internationalization Variables).
func (f languageFlag) language() (l texts.Language, named bool, err error) {
	locale := cmp.Or(f.Lang, os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
	switch {
	case isLanguage(locale, "zh"):
		return texts.Chinese, f.Lang != "", nil
	case f.Lang == "" || isLanguage(locale, "en"):
		return texts.English, f.Lang != "", nil
	}
	return "", true, exitstatus.WrongUsage(fmt.Errorf("--lang %s is unknown: choose en or zh", f.Lang))
}

// isLanguage reports whether a locale, as zh_CN.UTF-8, or a language tag, as zh-CN, is of a language.
func isLanguage(locale, language string) bool {
	name, _, _ := strings.Cut(locale, ".")
	name, _, _ = strings.Cut(strings.ReplaceAll(name, "-", "_"), "_")
	return strings.EqualFold(name, language)
}

// setLanguage chooses the language of the verb's output. It says that a verb has no Chinese output only where the user
// named the language, since a locale is set for all programs.
func (a *app) setLanguage(f languageFlag, verb *kong.Node) error {
	l, named, err := f.language()
	if err != nil {
		return err
	}
	if l == texts.Chinese && verb.Tag.Has("english") {
		if named {
			a.message("h2lab: %s", l.Say("command.no-chinese-output-yet", verb.Name))
		}
		l = texts.English
	}
	a.language, a.named = l, named
	return nil
}

// page is the name of a run's page in the user's language, from that of the English one.
func (a *app) page(english string) string {
	if a.language == texts.Chinese {
		return strings.TrimSuffix(english, ".md") + ".zh.md"
	}
	return english
}

// say formats a phrase in the user's language.
func (a *app) say(p string, args ...any) string { return a.language.Say(p, args...) }

// print writes a phrase to stdout.
func (a *app) print(p string, args ...any) error {
	_, err := fmt.Fprint(a.stdout, a.say(p, args...))
	return err
}

// tell writes a phrase as a line to stderr.
func (a *app) tell(p string, args ...any) { a.message("h2lab: %s", a.say(p, args...)) }

// results writes what a field tool has found to stdout, as JSON or as text in the user's language.
func (a *app) results(asJSON bool, json func(io.Writer) error, text func(io.Writer, texts.Language) error) error {
	if asJSON {
		return json(a.stdout)
	}
	return text(a.stdout, a.language)
}

// notice writes lines of a field tool to stderr.
func (a *app) notice(lines ...facts.Text) {
	for _, t := range lines {
		a.message("h2lab: %s", a.language.In(t))
	}
}
