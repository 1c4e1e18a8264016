// Package kit is what the lab's client programs in Go share: the command line, the protocol with
// internal/lab/load, the closed and the open loop, the counts and the line of JSON that every program ends with.
// A program adds the library that it measures, as a Subject:
//
//	func main() {
//		os.Exit(kit.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, kit.Program{
//			Name: "go-client", Variants: []string{"go-replayable"}, New: newClient,
//		}))
//	}
//
// internal/lab/load controls a program by lines on stdin and stdout, so that start-up isn't
// measured and both sides agree when the window opens and closes: the program prints READY, WARM
// and DONE, waits for a newline after each, and ends with one line of JSON. Without --json a
// program runs on its own and prints the same answer over several lines.
package kit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"h2lab/internal/facts"
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
	to := json.NewEncoder(stdout)
	if !f.JSON {
		to.SetIndent("", "  ")
	}
	return to.Encode(a)
}

// Flags are the flags that all client programs of the lab share.
type Flags struct {
	URL         string        `name:"url" required:"" help:"Where requests go, such as https://127.0.0.1:18101/echo?ms=0; an answer of /echo is compared with what was sent."`
	Protocol    string        `enum:"h1,h2" default:"h2" help:"h1 or h2; another one negotiated is an error."`
	Variant     string        `enum:"${variants}" default:"${variant}" help:"One of ${variants}."`
	Concurrency int           `default:"100" help:"Requests in flight (1 to 10000)."`
	Pools       int           `default:"1" help:"Pools of connections they are spread over (1 to concurrency)."`
	Warmup      time.Duration `default:"1s" help:"Warm-up, from empty pools."`
	Duration    time.Duration `default:"5s" help:"Measured window."`
	CA          string        `name:"ca" help:"PEM file of the authority that signed the server's certificate; the system's are used without it."`
	Method      string        `enum:"GET,POST,PUT,PATCH" default:"POST" help:"GET, POST, PUT or PATCH."`
	BodyBytes   int           `name:"body-bytes" default:"1" help:"Bytes of request body; GET sends none (0 to 1048576)."`
	MaxTLS      string        `name:"max-tls" enum:"1.2,1.3" default:"1.3" help:"Highest TLS version offered, 1.2 or 1.3."`
	Patience    time.Duration `default:"12s" help:"How long one call may take before it is given up and counted as hung."`
	Rate        int           `help:"Requests per second over all pools, whether or not earlier ones are answered (1 to 100000); --concurrency is then the maximum in flight. Without it --concurrency requests are in flight all the time."`
	Arrivals    string        `enum:"constant,poisson" default:"constant" help:"With --rate: constant intervals between requests, or poisson, as from many independent users."`
	Seed        uint64        `default:"1" help:"Seed of poisson arrivals."`
	Think       time.Duration `help:"How long a user of a service waits between an answer and its next request."`
	Nonce       string        `help:"Begins every request id; drawn from the clock when not given."`
	JSON        bool          `name:"json" help:"Wait for a newline at READY, WARM and DONE, and answer with a line of JSON."`
}

// H1 reports whether HTTP/1.1 was requested; otherwise it is HTTP/2.
func (f Flags) H1() bool { return f.Protocol == "h1" }

// Body is the body of every request, nil for a GET.
func (f Flags) Body() []byte {
	if f.Method == http.MethodGet {
		return nil
	}
	return bytes.Repeat([]byte("1"), f.BodyBytes)
}

// Echoes reports whether the answer must equal what was sent.
func (f Flags) Echoes() bool {
	return f.Method != http.MethodGet && strings.Contains(f.URL, "/echo")
}

// ID names the n-th call of a worker; phase is "warm" or "run".
func (f Flags) ID(phase string, worker, n int) string {
	return f.Nonce + "-" + phase + "-" + strconv.Itoa(worker) + "-" + strconv.Itoa(n)
}

// parse reads and validates the command line; helped is true after --help.
func parse(args []string, stdout, stderr io.Writer, p Program) (f Flags, helped bool, err error) {
	k, err := kong.New(&f, kong.Name(p.Name), kong.Writers(stdout, stderr), kong.Description(p.Description),
		kong.Vars{"variants": strings.Join(p.Variants, ","), "variant": p.Variants[0]},
		kong.Exit(func(int) { helped = true }))
	if err != nil {
		return f, false, err
	}
	_, err = k.Parse(args)
	if helped {
		return f, true, nil
	}
	if err == nil {
		err = f.validate(p)
	}
	if err != nil {
		return f, false, fmt.Errorf("%w: %w; see %s --help", ErrUsage, err, p.Name)
	}
	if f.Nonce == "" {
		f.Nonce = strconv.FormatInt(time.Now().UnixNano(), 36)
	}
	return f, false, nil
}

func (f *Flags) validate(p Program) error {
	for _, r := range []struct {
		name          string
		got, min, max int
	}{
		{"concurrency", f.Concurrency, 1, 10000},
		{"pools", f.Pools, 1, f.Concurrency},
		{"body-bytes", f.BodyBytes, 0, 1 << 20},
	} {
		if r.got < r.min || r.got > r.max {
			return fmt.Errorf("--%s=%d is out of range: give a whole number from %d to %d", r.name, r.got, r.min, r.max)
		}
	}
	if err := f.validateRate(p); err != nil {
		return err
	}
	if f.Pools != 1 && !p.Pools {
		return fmt.Errorf("--pools=%d: %s has one pool; leave the flag out", f.Pools, p.Name)
	}
	if f.Warmup <= 0 || f.Duration <= 0 || f.Patience <= 0 {
		return fmt.Errorf("--warmup=%s --duration=%s --patience=%s: each must be longer than 0, such as 1s, 5s "+
			"and 12s", f.Warmup, f.Duration, f.Patience)
	}
	if _, ok := p.Users[f.Variant]; ok {
		return f.validateService()
	}
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("--url=%s is not an https address: give one such as https://127.0.0.1:18101/echo?ms=0", f.URL)
	}
	return nil
}

// mostRate is the maximum of RATE (internal/lab/plan).
const mostRate = 100_000

// validateRate checks the flags of an open loop.
func (f *Flags) validateRate(p Program) error {
	_, users := p.Users[f.Variant]
	switch {
	case f.Rate < 0 || f.Rate > mostRate:
		return fmt.Errorf("--rate=%d is out of range: give a whole number from 1 to %d", f.Rate, mostRate)
	case f.Rate == 0 && facts.Arrivals(f.Arrivals) != facts.Constant:
		return fmt.Errorf("--arrivals=%s has no --rate: give one such as --rate=2000", f.Arrivals)
	case f.Rate > 0 && (users || p.NewBatch != nil):
		return fmt.Errorf("--rate=%d: %s of %s sends its requests itself and takes no rate; leave the flag out", f.Rate,
			f.Variant, p.Name)
	}
	return nil
}

// validateService checks the address of a service: load by thousands of users goes to this machine
// only.
func (f *Flags) validateService() error {
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.Port() == "" {
		return fmt.Errorf("--url=%s is no service of this machine: %s requires one such as "+
			"http://127.0.0.1:18301/wait?ms=50", f.URL, f.Variant)
	}
	if !f.H1() {
		return fmt.Errorf("--protocol=%s: %s speaks HTTP/1.1 only; give --protocol=h1", f.Protocol, f.Variant)
	}
	return nil
}

// talk is the READY/WARM/DONE protocol with internal/lab/load. Without --json there is none, and
// meet returns at once.
type talk struct {
	in  *bufio.Reader
	out io.Writer
}

func newTalk(conducted bool, in io.Reader, out io.Writer) *talk {
	if !conducted {
		return &talk{}
	}
	return &talk{in: bufio.NewReader(in), out: out}
}

// meet prints the client's state and waits for a newline. End of input means that internal/lab/load
// has ended, so the program ends too.
func (t *talk) meet(ctx context.Context, word string) error {
	if t.in == nil {
		return nil
	}
	if _, err := fmt.Fprintln(t.out, word); err != nil {
		return fmt.Errorf("printing %s: %w", word, err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := t.in.ReadString('\n')
		read <- err
	}()
	select {
	case err := <-read:
		if err != nil {
			return fmt.Errorf("waiting for a newline after %s: %w (to run it without the lab, omit --json)", word, err)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answer is the line of JSON that every client program of the lab ends with;
// internal/lab/load reads it.
type answer struct {
	Attempts       int64         `json:"attempts"`
	Succeeded      int64         `json:"succeeded"`
	Failed         int64         `json:"failed"`
	WarmupRequests int64         `json:"warmup_requests"`
	ElapsedS       float64       `json:"elapsed_s"`
	Failures       []group       `json:"failures"`
	Latency        facts.Latency `json:"latency_ms"`
	Dialled        *int64        `json:"dialled"`
	ClientReported *int64        `json:"client_reported"`
	TLS            facts.TLS     `json:"tls"`
	Hung           int64         `json:"hung"`
	Library        string        `json:"library"`
	Runtime        string        `json:"runtime"`
	// These are left out where there is nothing to say.
	Histogram string          `json:"histogram,omitempty"`
	Schedule  *facts.Schedule `json:"schedule,omitempty"`
	Times
}

// newAnswer makes the answer of a window; before and after are the connection counts at its start
// and end.
func newAnswer(warm, w *Tally, before, after Counts) (answer, error) {
	a := answer{
		Attempts: w.attempts, Succeeded: w.succeeded, Failed: w.attempts - w.succeeded,
		WarmupRequests: warm.attempts, ElapsedS: w.Elapsed.Seconds(), Failures: []group{},
		Dialled: since(before.Dialled, after.Dialled), ClientReported: since(before.Reported, after.Reported),
		TLS:  facts.TLS{Version: after.TLSVersion, Resumed: since(before.Resumed, after.Resumed)},
		Hung: w.hung, Runtime: runtime.Version(),
	}
	for _, g := range w.groups {
		a.Failures = append(a.Failures, *g)
	}
	slices.SortFunc(a.Failures, func(x, y group) int { return int(y.Count - x.Count) })
	a.Latency = percentiles(w.latency)
	if w.pace != nil {
		a.Schedule = w.pace.schedule(w.attempts)
	}
	var err error
	a.Histogram, err = encoded(w.latency)
	return a, err
}

// since is the difference of two counts, or nil where one of them is unknown.
func since(before, after *int64) *int64 {
	if before == nil || after == nil {
		return nil
	}
	return new(*after - *before)
}

// account is the counts of one worker of a closed loop, or of all workers of an open one. It is locked
// because the window may end while a call never returns.
type account struct {
	sync.Mutex
	tally    *Tally
	inFlight int64 // calls that are not counted yet
	over     bool  // the counts were added to the window's
}

// begin counts a call that begins this late after it was due; false means that the window has ended.
func (a *account) begin(late time.Duration) bool {
	a.Lock()
	defer a.Unlock()
	if a.over {
		return false
	}
	a.inFlight++
	if p := a.tally.pace; p != nil {
		p.inFlight = max(p.inFlight, a.inFlight)
		record(p.late, late)
	}
	return true
}

// skip counts a request that was due and can't be sent, because as many as allowed are in flight.
func (a *account) skip() {
	a.Lock()
	defer a.Unlock()
	a.tally.pace.notStarted++
}

// count counts a call that has ended. waited is the time since it was due, sent the time since it was sent. false
// means that the window has already ended.
func (a *account) count(f *Failure, waited, sent time.Duration) bool {
	a.Lock()
	defer a.Unlock()
	if a.over {
		return false
	}
	a.inFlight--
	if a.tally.pace != nil && f == nil {
		record(a.tally.pace.uncorrected, sent)
	}
	a.tally.Count(f, waited)
	return true
}

// settle adds the counts to sum. Calls that are still in flight have ignored their cancellation; settle
// counts them as hung.
func (a *account) settle(patience time.Duration, sum *Tally) {
	a.Lock()
	defer a.Unlock()
	a.over = true
	for range a.inFlight {
		a.tally.CountHung(patience, "")
	}
	sum.merge(a.tally)
}
