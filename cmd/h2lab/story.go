package main

import (
	"time"

	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
)

// storyCmd measures a service between its users and a topology. It has those knobs of the other
// commands that apply to one, with other defaults.
type storyCmd struct {
	Concurrency int           `env:"CONCURRENCY" default:"100" help:"Users, each with one request at a time (1 to 1000)."`
	Duration    time.Duration `env:"DURATION" default:"3.5s" help:"Measured window of a trial (100ms to 10m)."`
	Warmup      time.Duration `env:"WARMUP" default:"1s" help:"Warm-up before it, by the same users (100ms to 1m)."`
	Trials      int           `env:"TRIALS" default:"6" help:"Trials of every cell (1 to 100); fewer than 6 give no interval."`
	Seed        uint64        `env:"SEED" help:"Seed of the order of trials; drawn and printed when not given."`
	Limit       int           `env:"LIMIT" default:"1000" help:"keepalive_requests of the low-limit nginx (1 to 99999)."`
	CPUs        string        `name:"cpus" env:"CPUS" default:"0.5" help:"Processor budget of each proxy and of the backend, or none. Services have none."`
	Delay       int           `env:"DELAY" default:"20" help:"Milliseconds the backend waits before it answers (0 to 10000)."`
	Key         string        `env:"KEY" default:"rsa" help:"Key of the certificates, rsa or ecdsa."`
	Quick       bool          `env:"QUICK" help:"One trial of 3 s: a look, no statistics."`
	Gateway     string        `env:"GATEWAY" default:"envoy" help:"API gateway behind the reverse proxy: envoy, or scg for Spring Cloud Gateway."`
	Topologies  []string      `name:"topology" env:"TOPOLOGY" help:"Measure only these topologies (comma-separated)."`
	Clients     []string      `name:"client" env:"CLIENT" help:"Measure only these services (comma-separated)."`
	Runtime     string        `env:"RUNTIME" default:"auto" help:"native or auto, which is native here."`
	Results     string        `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
	Timeline    bool          `env:"TIMELINE" default:"true" negatable:"" help:"Sample the front's counters at 20 Hz."`
}

// Help returns examples that a user can paste.
func (c *storyCmd) Help() string {
	return examples("h2lab story --quick", "h2lab story --gateway scg --client resttemplate-okhttp3")
}

// knobs returns the flags as the knobs of a run.
func (c *storyCmd) knobs() plan.Knobs {
	k := plan.UsualFor(plan.Story)
	k.Concurrency, k.Duration, k.Warmup, k.Trials = c.Concurrency, c.Duration, c.Warmup, c.Trials
	k.Seed, k.Limit, k.CPUs, k.Delay, k.Key, k.Quick = c.Seed, c.Limit, c.CPUs, c.Delay, c.Key, c.Quick
	k.Gateway, k.Topologies, k.Clients = c.Gateway, c.Topologies, c.Clients
	return k
}

// Run measures the story.
func (c *storyCmd) Run(a *app) (err error) {
	if err := a.placeForResults(c.Results); err != nil {
		return err
	}
	k := c.knobs()
	if k.Seed, err = a.seed(k.Seed); err != nil {
		return err
	}
	p := newProgress(a)
	dir, err := a.lab(c.Results, p).Story(a.ctx,
		runs.Request{Command: plan.Story, Knobs: k, Timeline: c.Timeline, Runtime: c.Runtime})
	p.stop()
	return a.finishStory(dir, err, len(c.Topologies) == 0 && len(c.Clients) == 0)
}
