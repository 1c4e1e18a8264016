package load

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"time"

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
	// StatusURL makes a k6 script read the server's own count. Leave it empty where an observer
	// reads it: the script's reading adds a connection.
	StatusURL string
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

// Answer is the client's own report of the measured window.
type Answer struct {
	Attempts, Succeeded, Failed, WarmupRequests int64
	// ElapsedS is from the release after the warm-up to the last answer.
	ElapsedS float64
	// Errors add up to Failed.
	Errors  []facts.Error
	Latency facts.Latency
	// Histogram, Schedule, ConnectMS and HandshakeMS are as in facts.Trial.
	Histogram              string
	Schedule               *facts.Schedule
	ConnectMS, HandshakeMS *facts.Latency
	// Dialled and ClientReported are nil where the client can't tell.
	Dialled, ClientReported *int64
	// Hung is nil where the client can't tell.
	Hung             *int64
	TLS              facts.TLS
	Library, Runtime string
	Warnings         []string
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
