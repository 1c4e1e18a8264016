package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// Knobs are the settings of a run. Every one has a variable of the same name in capitals (make
// repro LIMIT=100) and a flag (h2lab repro --limit 100).
type Knobs struct {
	Concurrency int           `env:"CONCURRENCY" default:"100" help:"Requests in flight (1 to 1000)."`
	Duration    time.Duration `env:"DURATION" default:"5s" help:"Measured window of a trial (100ms to 10m)."`
	Warmup      time.Duration `env:"WARMUP" default:"1s" help:"Warm-up before it, in the same client process (100ms to 1m)."`
	Trials      int           `env:"TRIALS" default:"6" help:"Trials of every cell (1 to 100); fewer than 6 give no interval."`
	Seed        uint64        `env:"SEED" help:"Seed of the order of trials; drawn and printed when not given."`
	Limit       int           `env:"LIMIT" default:"1000" help:"keepalive_requests of the low-limit topologies (1 to 99999); 100 shows everything in seconds."`
	CPUs        string        `name:"cpus" env:"CPUS" default:"0.5" help:"Processor budget of each server, or none."`
	Pools       int           `env:"POOLS" default:"1" help:"Connection pools the requests in flight are spread over (application instances)."`
	Delay       int           `env:"DELAY" default:"0" help:"Milliseconds the backend waits before it answers (0 to 10000)."`
	Body        int           `env:"BODY" default:"1" help:"Bytes of request body (0 to 1048576)."`
	Method      string        `env:"METHOD" default:"POST" help:"GET, POST, PUT or PATCH."`
	TLS         string        `name:"tls" env:"TLS" default:"1.2" help:"Highest TLS version that clients offer, 1.2 or 1.3; the stampede is larger and costs more with 1.2 (docs/decisions/0005)."`
	Key         string        `env:"KEY" default:"rsa" help:"Key of the certificates, rsa or ecdsa."`
	Quick       bool          `env:"QUICK" help:"One trial of 3 s: a look, no statistics."`
	Topologies  []string      `name:"topology" env:"TOPOLOGY" help:"Measure only these topologies (comma-separated)."`
	Protocols   []string      `name:"protocol" env:"PROTOCOL" help:"Measure only h1 or only h2."`
	Clients     []string      `name:"client" env:"CLIENT" help:"Measure only these clients (comma-separated)."`
	Distance
	OpenLoop
	// Only selects ecosystems or clients of a client matrix; no other command has it.
	Only []string `kong:"-"`
	// Gateway is the API gateway of a story, one of Gateways; no other command has it.
	Gateway string `kong:"-"`
	// Sweep is what a sweep varies, one of Sweeps or EverySweep; no other command has it.
	Sweep string `kong:"-"`
	// HideLimit keeps Limit out of the servers' files and command lines; only up FOR=learner does.
	HideLimit bool `kong:"-"`
}

// maxBody is the backend's own bound on a request body.
const maxBody = 1 << 20

// Settle applies QUICK; call it before Validate.
func (k *Knobs) Settle() {
	if k.Quick {
		k.Trials, k.Duration = 1, 3*time.Second
	}
}

// Validate returns an error for the first invalid knob, with its valid values.
func (k Knobs) Validate() error {
	for _, r := range []struct {
		name          string
		got, min, max int
	}{
		{"CONCURRENCY", k.Concurrency, 1, 1000},
		{"TRIALS", k.Trials, 1, 100},
		{"LIMIT", k.Limit, 1, HighLimit - 1},
		{"POOLS", k.Pools, 1, k.Concurrency},
		{"DELAY", k.Delay, 0, 10000},
		{"BODY", k.Body, 0, maxBody},
	} {
		if r.got < r.min || r.got > r.max {
			return fmt.Errorf("%s=%d is out of range: give a whole number from %d to %d", r.name, r.got, r.min, r.max)
		}
	}
	if k.Duration < 100*time.Millisecond || k.Duration > 10*time.Minute {
		return fmt.Errorf("DURATION=%s is out of range: give a duration from 100ms to 10m, such as 5s", k.Duration)
	}
	if k.Warmup < 100*time.Millisecond || k.Warmup > time.Minute {
		return fmt.Errorf("WARMUP=%s is out of range: give a duration from 100ms to 1m, such as 1s", k.Warmup)
	}
	if _, err := k.CPUBudget(); err != nil {
		return err
	}
	if err := k.Distance.Check(); err != nil {
		return err
	}
	if err := k.OpenLoop.validate(k); err != nil {
		return err
	}
	return k.validateWords()
}

func (k Knobs) validateWords() error {
	var topologies []string
	for _, t := range Topologies(k.Limit) {
		topologies = append(topologies, t.Name)
	}
	clients := make([]string, len(facts.Clients))
	for i, c := range facts.Clients {
		clients[i] = string(c)
	}
	for _, w := range []struct {
		name    string
		got, of []string
	}{
		{"METHOD", []string{k.Method}, []string{"GET", "POST", "PUT", "PATCH"}},
		{"TLS", []string{k.TLS}, []string{"1.2", "1.3"}},
		{"KEY", []string{k.Key}, []string{"rsa", "ecdsa"}},
		{"TOPOLOGY", k.Topologies, topologies},
		{"PROTOCOL", k.Protocols, []string{"h1", "h2"}},
		{"CLIENT", k.Clients, clients},
	} {
		for _, g := range w.got {
			if g == "" {
				return fmt.Errorf("%s=%s has an empty value: choose from %s",
					w.name, strings.Join(w.got, ","), strings.Join(w.of, ", "))
			}
			if !slices.Contains(w.of, g) {
				return fmt.Errorf("%s=%s is unknown: choose from %s", w.name, g, strings.Join(w.of, ", "))
			}
		}
	}
	if k.Method == "GET" && k.Body > 1 {
		return fmt.Errorf("METHOD=GET sends no body, so BODY=%d can't be sent: use METHOD=POST or drop BODY", k.Body)
	}
	return nil
}

// CPUBudget is CPUS as a number; nil is none.
func (k Knobs) CPUBudget() (*float64, error) {
	if k.CPUs == "none" {
		return nil, nil
	}
	f, err := strconv.ParseFloat(k.CPUs, 64)
	if err != nil || !(f >= 0.05 && f <= 64) { // written so that NaN is refused too
		return nil, fmt.Errorf("CPUS=%s can't be used: give a number of processors from 0.05 to 64, "+
			"such as 0.5, or none", k.CPUs)
	}
	return &f, nil
}

// Workload is the load that the knobs set for each client. Where RATE is a share, it is the closed loop
// whose goodput the share is of.
func (k Knobs) Workload() facts.Workload {
	body := k.Body
	if k.Method == "GET" {
		body = 0
	}
	w := facts.Workload{Method: k.Method, BodyBytes: body, DelayMS: k.Delay, Concurrency: k.Concurrency,
		Pools: k.Pools, WarmupS: k.Warmup.Seconds(), DurationS: k.Duration.Seconds(), MaxTLS: k.TLS,
		Distance: k.Line()}
	if n := k.PerSecond(); n > 0 {
		return AtRate(w, n, facts.Arrivals(k.Arrivals), k.Concurrency)
	}
	return w
}

// Narrowed reports whether filters leave out a part of the command's table. A part can neither
// confirm nor contradict what the whole command promises.
func (k Knobs) Narrowed() bool {
	return len(k.Topologies)+len(k.Protocols)+len(k.Clients) > 0
}

func (k Knobs) wants(topology string, p facts.Protocol, c facts.Client) bool {
	has := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	return has(k.Topologies, topology) && has(k.Protocols, string(p)) && has(k.Clients, string(c))
}

// Usual are the default knobs; a test compares them with the defaults in the tags of Knobs.
func Usual() Knobs {
	return Knobs{Concurrency: 100, Duration: 5 * time.Second, Warmup: time.Second, Trials: 6, Limit: DefaultLimit,
		CPUs: "0.5", Pools: 1, Body: 1, Method: "POST", TLS: "1.2", Key: "rsa",
		OpenLoop: OpenLoop{Arrivals: string(facts.Constant)}}
}
