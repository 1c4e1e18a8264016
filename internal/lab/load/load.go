// Package load runs one client against a topology and reads its answer: k6 with a script of k6/, or
// a program of clients/.
//
// Hooks connect it with the caller, which reads the servers' counters: Warm is called when the
// client has warmed up and every answer has arrived, Done when the last answer of the measured
// window has. Between the two, nothing interrupts the client.
//
// A client may die, print garbage, print too much or stop answering. Each of these ends, within a
// bounded time, in an error that names the client and quotes its last output, and no process of the
// client's group is left when Run returns.
package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/facts"
)

// Job is one client run and the paths that it needs.
type Job struct {
	Client   facts.Client
	Topology string
	Protocol facts.Protocol
	// Base is the front's address, such as https://127.0.0.1:18101, or where a service on this machine
	// calls it, such as http://127.0.0.1:18301/through/nginx-1000-envoy.
	Base     string
	CA       string // PEM file of the CA that signed the front's certificate
	Workload facts.Workload
	// Limit is a tag of k6's metrics only; 0 is none.
	Limit int
	// Nonce is the prefix of every request id, and must be new for every Run.
	Nonce string
	// Seed is that of a Poisson process; a run's trials have different ones.
	Seed uint64
	// Dir is for scratch files during Run; empty is the system's temporary directory.
	Dir string
	// K6 and K6Scripts are the binary and the folder of scripts.
	K6, K6Scripts string
	// Argv starts a client program; the shared flags follow.
	Argv []string
	// Env is a client program's whole environment.
	Env []string
	// Start starts the client's process elsewhere than beside h2lab; nil is beside it.
	Start func(*exec.Cmd) error
	// Patience bounds one request of a client program; 0 is its own default, 12 s.
	Patience time.Duration
}

// Hooks are called while the client runs; any may be nil. An error of a hook ends the run.
type Hooks struct {
	// Started gets the client's pid as soon as it has started.
	Started func(pid int)
	// Warm is called between warm-up and window, while no request is in flight.
	Warm func(ctx context.Context) error
	// Done is called when the last answer of the window has arrived.
	Done func(ctx context.Context) error
}

// Answer is the client's own report of the measured window, as a client program prints it.
type Answer struct {
	Attempts       int64 `json:"attempts"`
	Succeeded      int64 `json:"succeeded"`
	Failed         int64 `json:"failed"`
	WarmupRequests int64 `json:"warmup_requests"`
	// ElapsedS is from the release after the warm-up to the last answer.
	ElapsedS float64 `json:"elapsed_s"`
	// Errors add up to Failed.
	Errors  []facts.Error `json:"-"`
	Latency facts.Latency `json:"latency_ms"`
	// Histogram, Schedule, ConnectMS and HandshakeMS are as in facts.Trial.
	Histogram   string          `json:"histogram"`
	Schedule    *facts.Schedule `json:"schedule"`
	ConnectMS   *facts.Latency  `json:"connect_ms"`
	HandshakeMS *facts.Latency  `json:"handshake_ms"`
	// Dialled, ClientReported and Hung are nil where the client can't tell.
	Dialled        *int64       `json:"dialled"`
	ClientReported *int64       `json:"client_reported"`
	Hung           *int64       `json:"hung"`
	TLS            facts.TLS    `json:"tls"`
	Library        string       `json:"library"`
	Runtime        string       `json:"runtime"`
	Warnings       []facts.Text `json:"-"`
}

// patience bounds each part of a run; tests use shorter times.
type patience struct {
	start time.Duration // from the start to its first line of output
	slack time.Duration // beyond the planned time of warm-up or window
	end   time.Duration // from the release after the window to the answer and the exit
	stop  time.Duration // between SIGTERM and SIGKILL
}

// usual: a request may take 12 s, so the slack is that and as much again for a busy machine. k6
// compiles its script and starts its VUs before its first request.
var usual = patience{start: 30 * time.Second, slack: 30 * time.Second, end: 30 * time.Second, stop: time.Second}

// patienceFor is shorter where the job bounds its requests itself. A runtime that compiles at
// start, as Java's does, gets 15 s to start on a busy machine.
func patienceFor(job Job) patience {
	if job.Patience == 0 {
		return usual
	}
	return patience{start: 15 * time.Second, slack: job.Patience + 3*time.Second, end: 5 * time.Second,
		stop: time.Second}
}

// Run runs the job's client once. It returns when the client has ended, also when ctx ends, and
// leaves neither processes nor files.
func Run(ctx context.Context, job Job, hooks Hooks) (Answer, error) {
	return run(ctx, job, hooks, patienceFor(job))
}

func run(ctx context.Context, job Job, hooks Hooks, p patience) (Answer, error) {
	if err := job.validate(); err != nil {
		return Answer{}, err
	}
	measure := runProgram
	switch {
	case script(job.Client) != "":
		measure = runK6
	case job.Client == facts.Ab:
		measure = runAb
	}
	a, err := measure(ctx, job, hooks.complete(), p)
	if ctx.Err() != nil {
		return Answer{}, fmt.Errorf("%s: %w", job.Client, context.Cause(ctx))
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", job.Client, err)
	}
	if err := a.fits(job.Workload); err != nil {
		return Answer{}, fmt.Errorf("%s: %w", job.Client, err)
	}
	a.Warnings = append(a.Warnings, a.oddities(job.Workload)...)
	return a, nil
}

// validate reports errors of the job before a client fails on them with an unclear message.
func (j Job) validate() error {
	w := j.Workload
	u, err := url.Parse(j.Base)
	switch {
	case script(j.Client) == "" && len(j.Argv) == 0:
		return fmt.Errorf("client %q is no script in k6/, and no program was given for it", j.Client)
	case j.Protocol != facts.H1 && j.Protocol != facts.H2:
		return fmt.Errorf("%s: protocol %q: choose h1 or h2", j.Client, j.Protocol)
	case err != nil || u.Host == "" || u.Scheme != "https" && !plain(u):
		return fmt.Errorf("%s: the front's address %q is not one such as https://127.0.0.1:18101, nor a service's such "+
			"as http://127.0.0.1:18301/through/direct", j.Client, j.Base)
	case plain(u) && j.Protocol != facts.H1:
		return fmt.Errorf("%s: %s is plain HTTP, so its users speak h1", j.Client, j.Base)
	case w.Concurrency < 1 || w.Pools < 1 || w.Pools > w.Concurrency:
		return fmt.Errorf("%s: %d requests in flight can't be distributed over %d pools", j.Client, w.Concurrency, w.Pools)
	case j.Client == facts.Ab:
		return j.validateAb()
	case w.WarmupS <= 0 || w.DurationS <= 0:
		return fmt.Errorf("%s: a warm-up of %v s and a window of %v s: both must be longer than 0", j.Client,
			w.WarmupS, w.DurationS)
	}
	return nil
}

// plain reports whether a URL is plain HTTP to this machine: a service of the lab.
func plain(u *url.URL) bool { return u.Scheme == "http" && u.Hostname() == "127.0.0.1" }

// complete replaces every nil hook with an empty function.
func (h Hooks) complete() Hooks {
	nothing := func(context.Context) error { return nil }
	if h.Started == nil {
		h.Started = func(int) {}
	}
	if h.Warm == nil {
		h.Warm = nothing
	}
	if h.Done == nil {
		h.Done = nothing
	}
	return h
}

// target is the URL of the requests.
func (j Job) target() string { return j.Base + j.Workload.Path() }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// script is the file in k6/ for this client, or empty.
func script(c facts.Client) string {
	switch c {
	case facts.K6SharedPool:
		return "shared-pool.js"
	case facts.K6ConnectionPerVU:
		return "connection-per-vu.js"
	}
	return ""
}

// wholeInJavaScript is Number.MAX_SAFE_INTEGER.
const wholeInJavaScript = 1<<53 - 1

// vus is how many VUs the script has, each of which calls the gate.
func vus(job Job) int {
	if job.Client == facts.K6SharedPool {
		return job.Workload.Pools
	}
	return job.Workload.Concurrency
}

// runK6 runs a script of k6/, synchronized by a gate.
func runK6(ctx context.Context, job Job, hooks Hooks, p patience) (_ Answer, err error) {
	g, err := openGate(vus(job))
	if err != nil {
		return Answer{}, err
	}
	defer g.close()
	home, err := os.MkdirTemp(job.Dir, "k6-")
	if err != nil {
		return Answer{}, fmt.Errorf("a scratch folder for it: %w", err)
	}
	defer os.RemoveAll(home)
	env, err := k6Env(job, g.url, home)
	if err != nil {
		return Answer{}, err
	}
	printed := &child.Tail{} // k6 prints nothing to stdout here, but a Tail bounds it anyway
	c, err := job.start(k6Args(job), env, nil, printed)
	if err != nil {
		return Answer{}, err
	}
	defer c.stop(p.stop)
	hooks.Started(c.PID)

	warm := p.start + seconds(job.Workload.WarmupS) + p.slack
	if err := c.await(ctx, g.warm.full, warm, g.warm.progress); err != nil {
		return Answer{}, err
	}
	if err := hooks.Warm(ctx); err != nil {
		return Answer{}, err
	}
	g.warm.open()
	if err := c.await(ctx, g.done.full, seconds(job.Workload.DurationS)+p.slack, g.done.progress); err != nil {
		return Answer{}, err
	}
	if err := hooks.Done(ctx); err != nil {
		return Answer{}, err
	}
	g.done.open()
	if err := c.await(ctx, g.told.full, p.end, g.told.progress); err != nil {
		return Answer{}, err
	}
	if err := c.finish(ctx, p.end); err != nil {
		return Answer{}, err
	}
	return mergeTallies(g.tallies(), job.Protocol)
}

// k6Args disable all of k6 but the script: no usage report, no listener (its REST API would use
// port 6565), no summary, which the gate replaces.
func k6Args(job Job) []string {
	return []string{job.K6, "run", "--quiet", "--no-color", "--no-usage-report", "--no-thresholds",
		"--summary-mode=disabled", "--address", "", filepath.Join(job.K6Scripts, script(job.Client))}
}

// k6Env is k6's whole environment. Its home is an empty folder, so that a user's own configuration
// and K6_ variables don't reach it, and it trusts only the lab's CA (crypto/x509 reads both
// variables).
func k6Env(job Job, gate, home string) ([]string, error) {
	ca, err := filepath.Abs(job.CA)
	if err != nil {
		return nil, fmt.Errorf("the path of %s: %w", job.CA, err)
	}
	if _, err := os.Stat(ca); err != nil {
		return nil, fmt.Errorf("the lab's certificate authority: %w; make it with: make certs", err)
	}
	w := job.Workload
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"SSL_CERT_FILE=" + ca, "SSL_CERT_DIR=" + home,
		"GATE=" + gate, "TARGET=" + job.target(),
		"TOPOLOGY=" + job.Topology, "PROTOCOL=" + string(job.Protocol), "LIMIT=" + strconv.Itoa(job.Limit),
		"METHOD=" + w.Method, "BODY=" + strconv.Itoa(w.BodyBytes), "TLS=" + w.MaxTLS, "NONCE=" + job.Nonce,
		"CONCURRENCY=" + strconv.Itoa(w.Concurrency), "POOLS=" + strconv.Itoa(w.Pools),
		"THINK=" + strconv.Itoa(w.ThinkMS), "DELAY=" + strconv.Itoa(w.DelayMS),
		fmt.Sprintf("WARMUP=%dms", seconds(w.WarmupS).Milliseconds()),
		fmt.Sprintf("DURATION=%dms", seconds(w.DurationS).Milliseconds()),
	}
	if w.RatePerS > 0 {
		env = append(env, "RATE="+strconv.FormatFloat(w.RatePerS, 'f', -1, 64), "ARRIVALS="+string(w.Arrivals),
			"SEED="+strconv.FormatUint(job.Seed&wholeInJavaScript, 10))
	}
	// A seventh of k6's processor time went into garbage collection (pprof): memory is cheaper here
	// than the cores that k6 shares with the servers.
	env = append(env, "GOGC=400")
	if job.Protocol == facts.H1 {
		env = append(env, "GODEBUG=http2client=0") // k6 has no other setting for it (internal/js/runner.go, forceHTTP1)
	}
	return env, nil
}

// conversation is a program with its two pipes.
type conversation struct {
	*program
	lines *lines
	stdin io.Writer
}

// runProgram starts the program, waits for its lines READY, WARM and DONE, and reads its answer.
func runProgram(ctx context.Context, job Job, hooks Hooks, p patience) (Answer, error) {
	in, stdin, err := os.Pipe()
	if err != nil {
		return Answer{}, fmt.Errorf("a pipe to it: %w", err)
	}
	defer stdin.Close()
	out := newLines()
	c, err := job.start(programArgs(job), job.Env, in, out)
	in.Close() // the child has its own
	if err != nil {
		return Answer{}, fault(facts.FaultCrashed, "%w", err)
	}
	defer c.stop(p.stop)
	hooks.Started(c.PID)

	t := conversation{program: c, lines: out, stdin: stdin}
	nothing := func(context.Context) error { return nil }
	for _, m := range []struct {
		word  string
		limit time.Duration
		hook  func(context.Context) error
	}{
		{"READY", p.start, nothing},
		{"WARM", seconds(job.Workload.WarmupS) + p.slack, hooks.Warm},
		{"DONE", seconds(job.Workload.DurationS) + p.slack, hooks.Done},
	} {
		if err := t.meet(ctx, m.word, m.limit, m.hook); err != nil {
			return Answer{}, beforeItsFirst(m.word, err)
		}
	}
	line, err := t.line(ctx, "its answer", p.end)
	if err != nil {
		return Answer{}, err
	}
	if err := c.finish(ctx, p.end); err != nil {
		return Answer{}, err
	}
	return parseAnswer(line, job.Protocol)
}

// noWarmup is the message of every client program whose warm-up failed.
const noWarmup = "no request of the warm-up succeeded"

// beforeItsFirst turns the error of a program that did not start into a fault: it was too slow to
// print READY, or none of its warm-up's requests succeeded. A runtime that starts cold on a busy
// machine does either, also without a limit.
func beforeItsFirst(word string, err error) error {
	var p *ProgramError
	if !errors.As(err, &p) {
		return err
	}
	slow := word == "READY" && p.Kind == facts.FaultSilent
	if slow || word == "WARM" && p.Kind == facts.FaultCrashed && strings.Contains(p.Message, noWarmup) {
		p.Kind = facts.FaultNotStarted
	}
	return err
}

// meet waits for the program's line, runs the hook and lets the program continue.
func (t conversation) meet(ctx context.Context, word string, limit time.Duration,
	hook func(context.Context) error) error {
	line, err := t.line(ctx, word, limit)
	if err != nil {
		return err
	}
	if string(line) != word {
		return fault(facts.FaultGarbled, "it printed %s where the word %s was due%s", shown(line), word,
			t.Tail().Quote())
	}
	if err := hook(ctx); err != nil {
		return err
	}
	if _, err := io.WriteString(t.stdin, "\n"); err != nil {
		return fault(facts.FaultCrashed, "answering %s: %w%s", word, err, t.Tail().Quote())
	}
	return nil
}

// line is the next line of the program's stdout.
func (t conversation) line(ctx context.Context, what string, limit time.Duration) ([]byte, error) {
	var line []byte
	came, stop := make(chan struct{}), make(chan struct{})
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case line = <-t.lines.out:
			close(came)
		case <-stop:
		}
	}()
	err := t.await(ctx, came, limit, func() string { return what })
	close(stop)
	<-gone
	if err == nil {
		return line, nil
	}
	select {
	case <-came: // it came during the timeout: then it counts
		return line, nil
	case line = <-t.lines.out: // printed just before its end
		return line, nil
	default:
		return nil, err
	}
}

// programArgs are the flags that every client program has (docs/adding-a-client.md).
func programArgs(job Job) []string {
	w := job.Workload
	args := append(slices.Clone(job.Argv),
		"--json", "--url", job.target(), "--protocol", string(job.Protocol),
		"--concurrency", strconv.Itoa(w.Concurrency), "--pools", strconv.Itoa(w.Pools),
		"--warmup", seconds(w.WarmupS).String(), "--duration", seconds(w.DurationS).String(),
		"--ca", job.CA, "--method", w.Method, "--body-bytes", strconv.Itoa(w.BodyBytes),
		"--max-tls", w.MaxTLS, "--nonce", job.Nonce)
	if w.RatePerS > 0 {
		args = append(args, "--rate", strconv.FormatFloat(w.RatePerS, 'f', -1, 64), "--arrivals", string(w.Arrivals),
			"--seed", strconv.FormatUint(job.Seed, 10))
	}
	if w.ThinkMS > 0 {
		args = append(args, "--think", fmt.Sprintf("%dms", w.ThinkMS))
	}
	if job.Patience > 0 {
		args = append(args, "--patience", job.Patience.String())
	}
	return args
}

// program is the client's process, in a process group of its own.
type program struct{ *child.Child }

// start starts argv with exactly this environment. A client ends when h2lab ends, for whatever reason.
func (job Job) start(argv, env []string, stdin io.Reader, stdout io.Writer) (*program, error) {
	c, err := child.Start(child.Spec{Argv: argv, Env: env, Stdin: stdin, Stdout: stdout, EndsWithUs: true, Start: job.Start})
	if err != nil {
		return nil, fmt.Errorf("starting it: %w; check the tools with: h2lab doctor", err)
	}
	return &program{c}, nil
}

// stop ends the process group and waits for it.
func (c *program) stop(grace time.Duration) {
	_ = c.Stop(context.Background(), child.Manner{Grace: grace, Group: true})
}

// await waits for ready; what describes it in the error.
func (c *program) await(ctx context.Context, ready <-chan struct{}, limit time.Duration, what func() string) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ready:
		return nil
	case <-c.Exited():
		select {
		case <-ready: // both have happened, ready first
			return nil
		default:
			return c.ended(what())
		}
	case <-timer.C:
		return fault(facts.FaultSilent, "%s did not come within %s and was ended%s", what(), limit, c.Tail().Quote())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish waits for the program to end with status 0.
func (c *program) finish(ctx context.Context, limit time.Duration) error {
	exit := func() string { return "its end" }
	if err := c.await(ctx, c.Exited(), limit, exit); err != nil {
		return err
	}
	if c.Err() != nil {
		return fault(facts.FaultCrashed, "it ended with %w after its answer%s", c.Err(), c.Tail().Quote())
	}
	return nil
}

// ended is the error of a child that ended too early.
func (c *program) ended(what string) error {
	how := "exit status 0"
	if c.Err() != nil {
		how = c.Err().Error()
	}
	var exit *exec.ExitError
	if c.Err() != nil && !errors.As(c.Err(), &exit) {
		how = "an error of its pipes: " + how
	}
	return fault(facts.FaultCrashed, "it ended with %s before %s%s", strings.TrimSpace(how), what, c.Tail().Quote())
}

const (
	mostLine  = 1 << 20 // an answer has a few kB
	mostLines = 16      // a client prints four
)

// lines is a writer that passes on whole lines. It drops unread lines beyond mostLines and keeps
// only the beginning of a longer line, so that a client with too much output neither fills the
// memory nor blocks.
type lines struct {
	part []byte
	out  chan []byte
}

func newLines() *lines { return &lines{out: make(chan []byte, mostLines)} }

func (l *lines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if room := mostLine - len(l.part); room > 0 {
			l.part = append(l.part, line[:min(room, len(line))]...)
		}
		if whole {
			select {
			case l.out <- bytes.TrimRight(l.part, "\r"):
			default:
			}
			l.part = nil
		}
		rest = after
	}
	return len(p), nil
}

// shown is a client's output, shortened for an error message.
func shown(line []byte) string {
	const most = 300
	if len(line) > most {
		return fmt.Sprintf("%q… (%d bytes)", line[:most], len(line))
	}
	return fmt.Sprintf("%q", line)
}

// Logged is a VU's tally as it stands in a log, with its window by its machine's clock, in ms since
// 1970. Began and Ended are nil where the VU sent no request.
type Logged struct {
	Where        string
	Tally        json.RawMessage
	Began, Ended *float64
}

// FromLogs makes one answer from the tallies of VUs, which may have run on several machines.
func FromLogs(all []Logged, p facts.Protocol) (Answer, error) {
	var tallies []tally
	var where []string
	var early int64 // requests of VUs that sent some in the warm-up only
	for _, l := range all {
		var t tally
		if err := json.Unmarshal(l.Tally, &t); err != nil {
			return Answer{}, fmt.Errorf("the tally at %s: %w", l.Where, err)
		}
		if t.Attempts != nil && *t.Attempts == 0 && (l.Began == nil || l.Ended == nil) {
			if t.WarmupRequests == nil || *t.WarmupRequests < 0 {
				return Answer{}, fmt.Errorf("the tally at %s has no number of warm-up requests", l.Where)
			}
			early += *t.WarmupRequests
			continue
		}
		t.BeganMS, t.EndedMS = l.Began, l.Ended
		tallies, where = append(tallies, t), append(where, l.Where)
	}
	a, err := mergeTallies(tallies, p)
	for i := 0; err != nil && i < len(tallies); i++ { // find the one that is wrong by itself
		if _, own := mergeTallies(tallies[i:i+1], p); own != nil {
			return a, fmt.Errorf("the tally at %s: %w", where[i], own)
		}
	}
	a.WarmupRequests += early
	return a, err
}

// ProgramError means that the client program itself failed, not its requests or its environment.
// For the client matrix this is a result.
type ProgramError struct{ facts.Fault }

func (e *ProgramError) Error() string { return e.Message }

// fault makes a ProgramError of one of facts' kinds. A resource that the machine lacks is not the
// program's fault.
func fault(kind, format string, args ...any) error {
	message := fmt.Errorf(format, args...).Error()
	if kind != facts.FaultGarbled && ownLack(message) {
		kind = facts.FaultStarved
	}
	return &ProgramError{facts.Fault{Kind: kind, Message: message}}
}
