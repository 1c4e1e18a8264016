package main

import (
	"fmt"
	"path/filepath"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
)

// clientsCmd measures which clients survive. It has those knobs of the other commands that apply to
// a matrix of programs, with other defaults.
type clientsCmd struct {
	Only        []string      `env:"ONLY" help:"Only these ecosystems or clients, such as okhttp,node (comma-separated)."`
	Clients     string        `env:"CLIENTS" placeholder:"DIR" help:"Directory with clients.txt, for programs of your own."`
	Topologies  []string      `name:"topology" env:"TOPOLOGY" help:"Only these topologies (comma-separated)."`
	Concurrency int           `env:"CONCURRENCY" default:"100" help:"Requests in flight (1 to 128, the streams of one HTTP/2 connection)."`
	Duration    time.Duration `env:"DURATION" default:"1.5s" help:"Shortest window of a trial (100ms to 10m). It lasts until 5 renewals were seen, 15 s at most."`
	Warmup      time.Duration `env:"WARMUP" default:"1s" help:"Warm-up before it, in the same program (100ms to 1m)."`
	Trials      int           `env:"TRIALS" default:"1" help:"Trials of every cell (1 to 100)."`
	Seed        uint64        `env:"SEED" help:"Seed of the order of trials; drawn and printed when not given."`
	Limit       int           `env:"LIMIT" default:"1000" help:"The low limit on requests per connection (1 to 99999). 100 suits slow clients."`
	CPUs        string        `name:"cpus" env:"CPUS" default:"0.5" help:"Processor budget of each server, or none."`
	TLS         string        `name:"tls" env:"TLS" default:"1.3" help:"Highest TLS version that clients offer, 1.2 or 1.3."`
	Key         string        `env:"KEY" default:"rsa" help:"Key of the certificates, rsa or ecdsa."`
	plan.Distance
	plan.OpenLoop
	Runtime string `env:"RUNTIME" default:"auto" help:"docker, native, or auto."`
	Results string `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
}

// Help returns examples that a user can paste.
func (c *clientsCmd) Help() string {
	return examples("h2lab clients --only okhttp,node", "h2lab clients --only go --limit 100")
}

// mostStreams is how many streams one connection allows. With more requests in flight every client
// needs a second connection, which could not be told from a stampede.
const mostStreams = 128

// knobs returns the flags as the knobs of a run.
func (c *clientsCmd) knobs() (plan.Knobs, error) {
	k := plan.UsualFor(plan.Clients)
	k.Topologies, k.Concurrency, k.Duration, k.Warmup, k.Trials = c.Topologies, c.Concurrency, c.Duration, c.Warmup,
		c.Trials
	k.Seed, k.Limit, k.CPUs, k.TLS, k.Key, k.Only = c.Seed, c.Limit, c.CPUs, c.TLS, c.Key, c.Only
	k.Distance, k.OpenLoop = c.Distance, c.OpenLoop
	if k.Concurrency > mostStreams {
		return k, fmt.Errorf("CONCURRENCY=%d is more than the %d streams that one connection takes: give at most that",
			k.Concurrency, mostStreams)
	}
	return k, k.Validate()
}

// programs returns the directory with clients.txt, and the reason why the pod doesn't have it, or "".
func (c *clientsCmd) programs(a *app) (dir, unmounted string, err error) {
	if c.Clients == "" {
		return runs.OwnPrograms, "", nil
	}
	if rel, ok := below(a.root, c.Clients); ok && rel == runs.OwnPrograms {
		return runs.OwnPrograms, "", nil
	}
	dir, err = filepath.Abs(c.Clients)
	return dir, fmt.Sprintf("CLIENTS=%s has no service in docker-compose.yml", c.Clients), err
}

// Run measures the matrix of client programs and draws its page.
func (c *clientsCmd) Run(a *app) error {
	k, err := c.knobs()
	if err != nil {
		return exitstatus.WrongUsage(err)
	}
	dir, unmounted, err := c.programs(a)
	if err != nil {
		return err
	}
	if k.Seed, err = a.seed(k.Seed); err != nil {
		return err
	}
	if err := a.placeForResults(c.Results); err != nil {
		return err
	}
	p := newProgress(a)
	run, err := a.lab(c.Results, p).Clients(a.ctx, runs.Request{Command: plan.Clients, Knobs: k, Runtime: c.Runtime},
		dir, unmounted)
	p.stop()
	return a.finishClients(run, err)
}
