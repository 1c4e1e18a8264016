package plan

import (
	"fmt"
	"math"
	"regexp"
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

// OpenLoop has the knobs of a load whose requests arrive on a schedule, whether or not earlier ones are
// answered.
type OpenLoop struct {
	Rate     string `env:"RATE" help:"Requests per second (1 to 100000), or a share of the goodput that the slowest cell has in a closed loop, such as 70% (1% to 200%). With RATE latency counts from when a request was due, and at most 10 × CONCURRENCY requests are in flight, but no more than 1000."`
	Arrivals string `env:"ARRIVALS" default:"constant" help:"With RATE: constant intervals between requests, or poisson, as from many independent users (drawn with SEED)."`
}

// The bounds of RATE.
const (
	mostRate  = 100_000
	mostShare = 200
)

// MostInFlight is the maximum of requests in flight at a rate; it is also that of CONCURRENCY.
const MostInFlight = 1000

var (
	rateForm  = regexp.MustCompile(`^[1-9][0-9]{0,6}$`)
	shareForm = regexp.MustCompile(`^([1-9][0-9]{0,3})%$`)
)

// PerSecond is RATE as a number of requests a second; 0 where it is a share, or not set.
func (o OpenLoop) PerSecond() float64 {
	if !rateForm.MatchString(o.Rate) {
		return 0
	}
	n, _ := strconv.ParseFloat(o.Rate, 64) // the pattern has checked it
	return n
}

// Share is RATE as a share of a closed loop's goodput; 0 where it is none.
func (o OpenLoop) Share() float64 {
	m := shareForm.FindStringSubmatch(o.Rate)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64) // the pattern has checked it
	return n / 100
}

func (o OpenLoop) validate(k Knobs) error {
	switch {
	case o.Arrivals != string(facts.Constant) && o.Arrivals != string(facts.Poisson):
		return fmt.Errorf("ARRIVALS=%s is unknown: choose from constant, poisson", o.Arrivals)
	case o.Rate == "" && o.Arrivals != string(facts.Constant):
		return fmt.Errorf("ARRIVALS=%s has no effect without RATE: give one, such as RATE=2000, or leave it out", o.Arrivals)
	case o.Rate == "":
		return nil
	case o.PerSecond() == 0 && o.Share() == 0 || o.PerSecond() > mostRate || o.Share() > mostShare/100:
		return fmt.Errorf("RATE=%s can't be used: give requests a second from 1 to %d, such as RATE=2000, or a share "+
			"from 1%% to %d%%, such as RATE=70%%", o.Rate, mostRate, mostShare)
	case o.Share() == 0 && o.PerSecond() < float64(k.Pools):
		return fmt.Errorf("RATE=%s and POOLS=%d contradict each other: each pool needs one request a second at least; "+
			"leave one of them out", o.Rate, k.Pools)
	case slices.Contains(k.Clients, string(facts.K6ConnectionPerVU)):
		return fmt.Errorf("RATE=%s and CLIENT=%s contradict each other: its users wait for an answer before their next "+
			"request; leave one of them out", o.Rate, facts.K6ConnectionPerVU)
	}
	return nil
}

// CheckShare returns an error if a share of the goodput that was measured is too low for the pools.
func (k Knobs) CheckShare(perSecond float64) error {
	if perSecond >= float64(k.Pools) {
		return nil
	}
	return fmt.Errorf("RATE=%s is %.0f requests/s here, and POOLS=%d needs one request a second for each pool at least: "+
		"raise RATE or lower POOLS", k.Rate, perSecond, k.Pools)
}

// WithoutRenewal says that a rate sends too few requests for a connection to reach LIMIT, or "".
func (k Knobs) WithoutRenewal() string {
	s := (k.Warmup + k.Duration).Seconds()
	each := k.PerSecond() * s / float64(k.Pools)
	if each == 0 || each > float64(k.Limit) {
		return ""
	}
	return fmt.Sprintf("RATE=%s sends %.0f requests to an HTTP/2 connection in a trial (%g s with the warm-up), so none "+
		"reaches LIMIT=%d and none is renewed: raise RATE or DURATION, or lower LIMIT", k.Rate, each, s, k.Limit)
}

// RateLeavesOut reports whether a command measures cells without RATE that it doesn't measure with it.
func RateLeavesOut(command string, k Knobs) bool {
	with, err := Cells(command, k)
	if err != nil || k.Rate == "" {
		return false
	}
	k.Rate = ""
	without, err := Cells(command, k)
	return err == nil && len(without) > len(with)
}

// takes reports whether a client of the lab can send requests on the schedule that the knobs ask for, if any.
func (o OpenLoop) takes(c facts.Client) bool { return o.Rate == "" || c != facts.K6ConnectionPerVU }

// AtRate is a workload as an open loop. inFlight is CONCURRENCY, the requests in flight of the closed
// loop. At a rate their number varies, and a stampede shows as a queue of many more, so more are allowed.
func AtRate(w facts.Workload, perSecond float64, a facts.Arrivals, inFlight int) facts.Workload {
	w.RatePerS, w.Arrivals = perSecond, a
	w.Concurrency = max(inFlight, min(10*inFlight, MostInFlight))
	return w
}

// ShareOf is the rate of a share of a closed loop's goodput, in whole requests a second.
func (o OpenLoop) ShareOf(goodput float64) float64 {
	return min(mostRate, max(1, math.Round(o.Share()*goodput)))
}

// MayBeInFlight is the largest number of requests in flight that the knobs allow.
func (k Knobs) MayBeInFlight() int {
	if k.Rate == "" {
		return k.Concurrency
	}
	return AtRate(facts.Workload{}, 1, facts.Constant, k.Concurrency).Concurrency
}

// Distance are the knobs of a line between load generators and servers.
type Distance struct {
	RTT       time.Duration `name:"rtt" env:"RTT" default:"0s" help:"Round trip between load generators and servers, such as 20ms (Linux as root; up to 2s)."`
	Jitter    time.Duration `env:"JITTER" default:"0s" help:"A round trip takes RTT ± JITTER."`
	Loss      float64       `env:"LOSS" default:"0" help:"Per cent of packets that are lost in each direction (0 to 50)."`
	Bandwidth int           `env:"BANDWIDTH" default:"0" help:"Mbit/s in each direction (1 to 10000), or 0 for no limit."`
}

// The bounds of a line. A satellite in geostationary orbit has a round trip of 600 ms.
const (
	longestRTT    = 2 * time.Second
	mostLoss      = 50
	mostBandwidth = 10_000
)

// Check returns an error for the first knob that is out of range.
func (d Distance) Check() error {
	switch {
	case d.RTT < 0 || d.RTT > longestRTT:
		return fmt.Errorf("RTT=%s is out of range: give a duration from 0s to %s, such as 20ms", d.RTT, longestRTT)
	case d.Jitter < 0 || d.Jitter > d.RTT:
		return fmt.Errorf("JITTER=%s is out of range: give a duration from 0s to RTT, which is %s", d.Jitter, d.RTT)
	case !(d.Loss >= 0 && d.Loss <= mostLoss): // written so that NaN is refused too
		return fmt.Errorf("LOSS=%g is out of range: give per cent from 0 to %d", d.Loss, mostLoss)
	case d.Bandwidth < 0 || d.Bandwidth > mostBandwidth:
		return fmt.Errorf("BANDWIDTH=%d is out of range: give Mbit/s from 0 (no limit) to %d", d.Bandwidth, mostBandwidth)
	}
	return nil
}

// Line is the distance as results have it.
func (d Distance) Line() facts.Distance {
	ms := func(t time.Duration) float64 { return float64(t) / float64(time.Millisecond) }
	return facts.Distance{RTTMS: ms(d.RTT), JitterMS: ms(d.Jitter), LossPercent: d.Loss, MbitPerS: d.Bandwidth}
}

// Given are the knobs that a user set, by the names of their variables, without those at their
// default.
type Given map[string]string

// pair is two knobs of which the first makes the second meaningless.
type pair struct {
	name   string
	holds  func(value string) bool
	second []string
	unless string // the value of the second that agrees with the first
	why    string
}

func get(v string) bool { return v == "GET" }

func yes(v string) bool { on, err := strconv.ParseBool(v); return err == nil && on }

func no(v string) bool { on, err := strconv.ParseBool(v); return err == nil && !on }

var pairs = []pair{
	{"QUICK", yes, []string{"TRIALS", "DURATION"}, "", "a quick run has one trial of 3 s"},
	{"METHOD", get, []string{"BODY"}, "0", "a GET request has no body"},
	{"SERVE", no, []string{"ROUNDS", "SPEED"}, "", "nothing is played"},
}

// Conflict names the first two knobs that a user set and that contradict each other. Ignoring one
// of them would run something other than what the user asked for.
func (g Given) Conflict() error {
	for _, p := range pairs {
		value, ok := g[p.name]
		if !ok || !p.holds(value) {
			continue
		}
		for _, second := range p.second {
			if other, ok := g[second]; ok && other != p.unless {
				return fmt.Errorf("%s=%s and %s=%s contradict each other: %s; leave one of them out",
					p.name, value, second, other, p.why)
			}
		}
	}
	return nil
}
