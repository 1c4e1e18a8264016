package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

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

// stateFile remembers what up started, for down and for whoever finds a port taken.
func stateFile(root string) string { return filepath.Join(root, native.StateFile) }

// Run starts every topology that can run here and leaves it up.
func (c *upCmd) Run(a *app) error {
	k := plan.Usual()
	k.Limit, k.CPUs, k.Key = c.Limit, c.CPUs, c.Key
	if err := k.Validate(); err != nil {
		return usageError{err}
	}
	runtime, why, err := chooseRuntime(a, c.Runtime)
	if err != nil {
		return err
	}
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
	if err := s.Save(stateFile(a.root)); err != nil {
		return errors.Join(err, s.close(a))
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
		fmt.Fprintf(w, "%s\thttps://%s\tcounters http://%s\t%s\n", t.Name, t.Front().Front, countersURL(t.Front()), t.Title)
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

// countersURL is where a person reads a server's counters.
func countersURL(s facts.Server) string {
	path := map[facts.Kind]string{facts.Nginx: "/stub_status", facts.Envoy: "/stats", facts.Backend: "/ledger.json"}[s.Kind]
	return s.Counters + path
}

// Run stops what up started, in whichever runtime.
func (c *downCmd) Run(a *app) error {
	// The workshop's unknown server ends first: it belongs to what is up.
	if ended, err := workshop.StopMystery(a.ctx, a.root); err != nil {
		return err
	} else if ended {
		a.say("h2lab: ended the server of exercise 10")
	}
	if _, err := os.Stat(stateFile(a.root)); err == nil {
		s, err := native.Load(stateFile(a.root))
		if err != nil {
			return err
		}
		if err := s.Down(a.ctx); err != nil {
			return err
		}
		a.say("h2lab: stopped the native servers")
		return nil
	}
	if _, err := compose.Engine(a.ctx); err == nil {
		if left, err := compose.Orphans(a.ctx); err == nil && len(left) > 0 {
			if err := errors.Join(compose.Down(a.ctx, a.root), native.Underive(a.root)); err != nil {
				return err
			}
			a.say("h2lab: stopped the containers")
			return nil
		}
	}
	a.say("h2lab: nothing is up")
	return nil
}
