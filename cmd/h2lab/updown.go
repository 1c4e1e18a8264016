package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
	"h2lab/internal/workshop"
)

type upCmd struct {
	For     string `env:"FOR" placeholder:"learner" help:"learner: with the limit of your own that the workshop's exercises need."`
	Limit   int    `env:"LIMIT" default:"1000" help:"keepalive_requests of the low-limit topologies."`
	CPUs    string `name:"cpus" env:"CPUS" default:"none" help:"Processor budget of each server, or none."`
	Key     string `env:"KEY" default:"rsa" help:"Key of the certificates, rsa or ecdsa."`
	Runtime string `env:"RUNTIME" default:"auto" help:"docker, native or auto."`
	plan.Distance
}

type downCmd struct{}

// Run starts every topology that can run here and leaves it running.
func (c *upCmd) Run(a *app) error {
	k := plan.Usual()
	k.Limit, k.CPUs, k.Key, k.Distance = c.Limit, c.CPUs, c.Key, c.Distance
	learner, err := forLearner(c.For)
	if err != nil {
		return err
	}
	if k.HideLimit = learner; learner {
		if k.Limit, err = workshop.OwnLimit(a.root); err != nil {
			return missing(err)
		}
		if limit := a.given["LIMIT"]; limit != "" {
			a.tell("command.limit-isnt-used-learner", limit)
			delete(a.given, "LIMIT")
		}
	}
	if names, from := inherited(a.given, "LIMIT", "CPUS", "KEY", "RTT", "JITTER", "LOSS", "BANDWIDTH"); len(from) > 0 {
		a.tell("command.taken-shells-environment", strings.Join(from, " "), strings.Join(names, " "))
	}
	there, err := a.lab("", newProgress(a)).Up(a.ctx, k, c.Runtime)
	if err != nil {
		return err
	}
	if err := printAddresses(a, there, learner); err != nil || !c.Line().Any() {
		return err
	}
	return c.printDistance(a, there)
}

// forLearner reads FOR, which has one value.
func forLearner(who string) (bool, error) {
	if who != "" && who != "learner" {
		return false, exitstatus.WrongUsage(fmt.Errorf("FOR=%s is unknown: choose learner, or leave it out", who))
	}
	return who != "", nil
}

// inherited returns the given knobs that come from exported variables and not from make's command
// line, whose variables are in MAKEFLAGS (GNU make manual, "Communicating Variables to a Sub-make").
func inherited(given plan.Given, knobs ...string) (names, pairs []string) {
	_, typed, _ := strings.Cut(os.Getenv("MAKEFLAGS"), "-- ")
	for _, name := range knobs {
		value := os.Getenv(name)
		if value != "" && given[name] == value && !strings.Contains(" "+typed, " "+name+"=") {
			names, pairs = append(names, name), append(pairs, name+"="+value)
		}
	}
	return names, pairs
}

// printAddresses prints the addresses and three commands to try.
func printAddresses(a *app, topologies []facts.Topology, learner bool) error {
	w := text.NewTable(a.stdout)
	for _, t := range topologies {
		name, title := t.Name, t.Title
		if learner { // who measures the limit
			name, title = workshop.FrontName(t)
		}
		fmt.Fprint(w, a.say("command.https-counters-http", name, t.Front().Front, countersURL(t.Front()), a.language.Worded(title)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	ca, low := text.ShellWord(a.show(runs.CAFile(a.root))), topologies[min(1, len(topologies)-1)].Front()
	return a.print("command.try-curl-cacert-http2", ca, low.Front, countersURL(low), a.command("down"))
}

// printDistance prints a command that reaches a server over the distance.
func (c *upCmd) printDistance(a *app, topologies []facts.Topology) error {
	low := topologies[min(1, len(topologies)-1)].Front()
	_, err := fmt.Fprintf(a.stdout, `
At a distance (a round trip of %[1]s) for commands that h2lab delay runs:
  %[2]s delay -- curl --cacert %[3]s -o /dev/null -sw '%%{time_connect}\n' -d 1 https://%[4]s/echo
`, c.RTT, text.ShellWord(a.show(filepath.Join(a.root, "bin", "h2lab"))), text.ShellWord(a.show(runs.CAFile(a.root))), low.Front)
	return err
}

// countersURL returns the address where a user reads a server's counters.
func countersURL(s facts.Server) string {
	return s.Counters + kinds.Of(s.Kind).Counters.Shown
}

// Run stops what `up` started, in either runtime, and any other servers of this checkout. The
// workshop's unknown server ends first, because it uses the servers that `up` started.
func (c *downCmd) Run(a *app) error {
	return a.lab("", newProgress(a)).Down(a.ctx, func() error {
		ended, err := workshop.StopMystery(a.ctx, a.root)
		if ended && err == nil {
			a.tell("command.stopped-server-exercise-10")
		}
		return err
	})
}
