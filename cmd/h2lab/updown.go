package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/workshop"
)

type upCmd struct {
	Limit   int    `env:"LIMIT" default:"1000" help:"keepalive_requests of the low-limit topologies."`
	CPUs    string `name:"cpus" env:"CPUS" default:"none" help:"Processor budget of each server, or none."`
	Key     string `env:"KEY" default:"rsa" help:"Key of the certificates, rsa or ecdsa."`
	Runtime string `env:"RUNTIME" default:"auto" help:"docker, native or auto."`
}

type downCmd struct{}

// stateFile records what `up` started, for `down` and for messages about a port that is taken.
func stateFile(root string) string { return filepath.Join(root, native.StateFile) }

// Run starts every topology that can run here and leaves it running.
func (c *upCmd) Run(a *app) (err error) {
	k := plan.Usual()
	k.Limit, k.CPUs, k.Key = c.Limit, c.CPUs, c.Key
	if err := k.Validate(); err != nil {
		return exitstatus.WrongUsage(err)
	}
	runtime, why, err := chooseRuntime(a, c.Runtime)
	if err != nil {
		return err
	}
	unlock, err := native.Lock(a.root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	a.say("h2lab: up in the %s runtime (%s)", runtime, why)
	topologies := plan.Topologies(k.Limit)
	if runtime == runtimeDocker {
		there, err := dockerUp(a, k, topologies)
		if err != nil {
			return err
		}
		return c.tell(a, there)
	}
	s, err := openSite(a, runtime, k, topologies, nil, detached)
	if err != nil {
		return err
	}
	var there []facts.Topology
	for _, t := range topologies {
		if s.unsupported[t.Name] == "" {
			there = append(there, t)
		}
	}
	return c.tell(a, there)
}

// tell prints the addresses and three commands to try.
func (c *upCmd) tell(a *app, topologies []facts.Topology) error {
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	for _, t := range topologies {
		fmt.Fprintf(w, "%s\thttps://%s\tcounters http://%s\t%s\n", t.Name, t.Front().Front, countersURL(t.Front()),
			t.Title)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	ca, low := quoted(a.show(caFile(a.root))), topologies[min(1, len(topologies)-1)].Front()
	fmt.Fprintf(a.stdout, `
Try:
  curl --cacert %[1]s --http2 -d 1 https://%[2]s/echo
  curl --cacert %[1]s --http1.1 -sv -d 1 https://%[2]s/echo 2>&1 | grep -i connection
  curl -s http://%[3]s
Stop everything with: %[4]s
`, ca, low.Front, countersURL(low), a.command("down"))
	return nil
}

// countersURL returns the address where a user reads a server's counters.
func countersURL(s facts.Server) string {
	path := map[facts.Kind]string{facts.Nginx: "/stub_status", facts.Envoy: "/stats",
		facts.Backend: "/ledger.json"}[s.Kind]
	return s.Counters + path
}

// Run stops what `up` started, in either runtime, and any other servers of this checkout. It leaves
// a running measurement alone.
func (c *downCmd) Run(a *app) (err error) {
	unlock, lockErr := native.Lock(a.root)
	var held *native.LockError
	if errors.As(lockErr, &held) {
		return lockErr
	}
	if lockErr != nil { // stopping servers requires no writable directory
		a.say("h2lab: warning: %v", lockErr)
	} else {
		defer func() { err = errors.Join(err, unlock()) }()
	}
	// The workshop's unknown server ends first, because it uses the servers that `up` started.
	if ended, err := workshop.StopMystery(a.ctx, a.root); err != nil {
		return err
	} else if ended {
		a.say("h2lab: ended the server of exercise 10")
	}
	stopped, err := c.native(a)
	if err == nil && !stopped {
		stopped, err = c.docker(a)
	}
	if err != nil {
		return err
	}
	for _, other := range native.Elsewhere(a.root, plan.Servers(plan.Topologies(plan.DefaultLimit))) {
		a.say("h2lab: left alone: %v", other)
	}
	if !stopped {
		a.say("h2lab: nothing is up")
	}
	return nil
}

// native stops the native servers: those in the state file, and those recognised as this checkout's.
func (c *downCmd) native(a *app) (stopped bool, err error) {
	path := stateFile(a.root)
	s, err := native.Load(path)
	switch {
	case err == nil:
		stopped = true
		if err := s.Down(a.ctx); err != nil {
			return stopped, err
		}
	case !errors.Is(err, fs.ErrNotExist): // servers are found without the file
		a.say("h2lab: warning: %s can't be read and is removed; servers are looked for without it", a.show(path))
		if err := os.Remove(path); err != nil {
			return false, err
		}
	}
	if found := native.Running(a.root); len(found) > 0 {
		stopped = true
		if err := native.StopRunning(child.Cleanup(a.ctx), found); err != nil {
			return true, err
		}
		if err := native.Underive(a.root); err != nil {
			return true, err
		}
	}
	if stopped {
		a.say("h2lab: stopped the native servers")
	}
	return stopped, nil
}

// docker stops the containers.
func (c *downCmd) docker(a *app) (stopped bool, err error) {
	if _, err := compose.Engine(a.ctx); err != nil {
		return false, a.ctx.Err() // no engine, no containers
	}
	left, err := compose.Orphans(a.ctx)
	if err != nil || len(left) == 0 {
		return false, a.ctx.Err()
	}
	if err := errors.Join(compose.Down(a.ctx, a.root), native.Underive(a.root)); err != nil {
		return true, err
	}
	a.say("h2lab: stopped the containers")
	return true, nil
}
