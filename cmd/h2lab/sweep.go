package main

import (
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
)

// sweepCmd measures services over a range of users, waits or delays, or a limit's effect over many loads.
// The sweeps' tables set the loads, so it has only those knobs of the other commands that leave the tables as they are.
type sweepCmd struct {
	Sweep      string   `env:"SWEEP" default:"callers" help:"callers, burst, low-latency, async, all (these four), or matters: where a limit matters, without services (distances only as root)."`
	Quick      bool     `env:"QUICK" help:"Only the corners of each table, once."`
	Topologies []string `name:"topology" env:"TOPOLOGY" help:"Only these topologies (comma-separated)."`
	Clients    []string `name:"client" env:"CLIENT" help:"Only these services, or with matters only these clients (comma-separated)."`
	Trials     *int     `env:"TRIALS" placeholder:"N" help:"Trials of every cell (1 to 100). Default: 2 with matters, else 1."`
	Seed       uint64   `env:"SEED" help:"Seed of the order of trials; drawn and printed when not given."`
	Limit      int      `env:"LIMIT" default:"1000" help:"The low limit on requests per connection (1 to 99999)."`
	CPUs       string   `name:"cpus" env:"CPUS" default:"0.5" help:"Processor budget of each proxy and of the backend, or none."`
	Key        string   `env:"KEY" default:"rsa" help:"Key of the certificates, rsa or ecdsa."`
	Runtime    string   `env:"RUNTIME" default:"auto" help:"native, or auto, which is native here."`
	Results    string   `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
}

// Help returns examples that a user can paste.
func (c *sweepCmd) Help() string {
	return examples("h2lab sweep --sweep matters --quick",
		"h2lab sweep --sweep callers --client webclient-h1 --topology nginx-1000")
}

// knobs returns the flags as the knobs of a run.
func (c *sweepCmd) knobs() plan.Knobs {
	k := plan.UsualFor(plan.Sweep)
	k.Sweep, k.Quick, k.Topologies, k.Clients = c.Sweep, c.Quick, c.Topologies, c.Clients
	if k.Trials = plan.UsualTrials(c.Sweep); c.Trials != nil {
		k.Trials = *c.Trials
	}
	k.Seed, k.Limit, k.CPUs, k.Key = c.Seed, c.Limit, c.CPUs, c.Key
	return k
}

// Run measures one sweep or all of them and draws their page.
func (c *sweepCmd) Run(a *app) (err error) {
	k := c.knobs()
	if _, err := plan.SweepsOf(k.Sweep); err != nil {
		return exitstatus.WrongUsage(err)
	}
	if k.Seed, err = a.seed(k.Seed); err != nil {
		return err
	}
	if err := a.placeForResults(c.Results); err != nil {
		return err
	}
	p := newProgress(a)
	dir, err := a.lab(c.Results, p).Sweep(a.ctx,
		runs.Request{Command: plan.Sweep, Knobs: k, Runtime: c.Runtime})
	p.stop()
	return a.finishSweep(dir, err)
}
