package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/podexec"
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
	k := request("up", c).Knobs
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
	return c.print(a, there)
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

// print writes the addresses and commands to try, also one over the distance if there is one.
func (c *upCmd) print(a *app, topologies []facts.Topology) error {
	w := text.NewTable(a.stdout)
	for _, t := range topologies {
		name, title := t.Name, t.Title
		if c.For != "" { // a learner measures the limit
			name, title = workshop.FrontName(t)
		}
		fmt.Fprint(w, a.say("command.https-counters-http", name, t.Front().Front, countersURL(t.Front()), a.language.In(title)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	ca, low := text.ShellWord(a.show(runs.CAFile(a.root))), topologies[min(1, len(topologies)-1)].Front()
	if err := a.print("command.try-curl-cacert-http2", ca, low.Front, countersURL(low), a.command("down")); err != nil ||
		!c.Line().Any() {
		return err
	}
	_, err := fmt.Fprintf(a.stdout, `
At a distance (a round trip of %[1]s) for commands that h2lab delay runs:
  %[2]s delay -- curl --cacert %[3]s -o /dev/null -sw '%%{time_connect}\n' -d 1 https://%[4]s/echo
`, c.RTT, text.ShellWord(a.show(filepath.Join(a.root, "bin", "h2lab"))), ca, low.Front)
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

type delayCmd struct {
	plan.Distance `embed:""`
	Command       []string `arg:"" optional:"" passthrough:"" help:"The command and its arguments. For the command 127.0.0.1 is this machine, at the other end of the line."`
}

// Run runs the command at the far end of a line and ends with its status.
func (c *delayCmd) Run(a *app) error {
	argv := c.Command
	if len(argv) > 0 && argv[0] == "--" {
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return exitstatus.WrongUsage(errors.New("no command is given; try: h2lab delay --rtt 20ms -- curl http://127.0.0.1:8080/"))
	}
	if strings.HasPrefix(argv[0], "-") {
		return exitstatus.WrongUsage(fmt.Errorf("%s is neither a flag of delay nor a command; try: h2lab delay --help", argv[0]))
	}
	d, err := c.distance(a, argv[0])
	if err != nil {
		return err
	}
	status, err := a.lab("", newProgress(a)).Far(a.ctx, d, argv)
	if err != nil {
		return err
	}
	if status < 0 {
		return fmt.Errorf("%s was ended by a signal", argv[0])
	}
	return relay(status)
}

// distance is the one that the user gave, or else that of the last up. program is the name in the message.
func (c *delayCmd) distance(a *app, program string) (facts.Distance, error) {
	if err := c.Check(); err != nil {
		return facts.Distance{}, exitstatus.WrongUsage(err)
	}
	for _, knob := range []string{"RTT", "JITTER", "LOSS", "BANDWIDTH"} {
		if _, given := a.given[knob]; given {
			return c.Line(), nil
		}
	}
	d, err := runs.UpDistance(a.root)
	if err == nil && !d.Any() {
		err = exitstatus.WrongUsage(errors.New("no distance is given, and no `up` has one; try: " +
			"h2lab delay --rtt 20ms -- COMMAND"))
	}
	if err == nil {
		a.message("h2lab: %s runs at the distance of `up`, a round trip of %s", program,
			time.Duration(d.RTTMS*float64(time.Millisecond)))
	}
	return d, err
}

// holdCmd is process 1 of the pod.
type holdCmd struct {
	Publish []int `help:"Ports of 127.0.0.1 that the pod's other addresses lead to." placeholder:"PORT"`
}

// Run forwards the published ports, reaps orphaned processes and waits for a signal.
func (c *holdCmd) Run(a *app) error {
	if err := compose.Publish(a.ctx, c.Publish); err != nil {
		return err
	}
	compose.Hold(a.ctx)
	return nil
}

// healthcheckCmd is what every service's health check calls.
type healthcheckCmd struct {
	URL string `arg:"" help:"What to ask, over TLS."`
	CA  string `help:"The CA to verify with." required:"" type:"existingfile"`
}

// Run sends a request to the server, because an open port doesn't prove that it answers.
func (c *healthcheckCmd) Run(a *app) error {
	return compose.Healthcheck(a.ctx, compose.Health{URL: c.URL, CAFile: c.CA})
}

// becomeCmd starts a server in a container.
type becomeCmd struct {
	OwnerOf string   `help:"The file whose owner the program runs as, where this is root." required:"" placeholder:"FILE"`
	Keep    []string `help:"Capabilities that the program keeps, such as NET_ADMIN." placeholder:"NAME"`
	Device  []string `help:"Devices that the program opens, such as /dev/net/tun." placeholder:"FILE"`
	Program []string `arg:"" help:"The program and its arguments, after --."`
}

// Run is replaced by the program.
func (c *becomeCmd) Run(*app) error { return compose.Become(c.OwnerOf, c.Keep, c.Device, c.Program) }

// podExecServeCmd waits in a client container for requests to run a program.
type podExecServeCmd struct {
	Socket string `help:"Where to listen; @NAME is an abstract name." required:""`
}

// Run starts the requested programs, one at a time.
func (c *podExecServeCmd) Run(a *app) error { return podexec.Serve(a.ctx, c.Socket) }

// podExecCmd runs a program in a client container, by that container's `h2lab pod-exec-serve`.
type podExecCmd struct {
	Socket  string   `help:"Where h2lab pod-exec-serve listens." required:""`
	Program []string `arg:"" help:"The program and its arguments, after --."`
}

// Run passes on the program's input, output and exit status.
func (c *podExecCmd) Run(a *app) error {
	ended, err := podexec.Exec(a.ctx, c.Socket, c.Program, [3]*os.File{os.Stdin, os.Stdout, os.Stderr})
	if err != nil {
		return err
	}
	if ended.Signal != "" {
		a.message("the program was ended by a signal: %s", ended.Signal)
	}
	return relay(ended.Status)
}

type pinCmd struct{}

// Run writes the digest of every image into versions.env.
func (c *pinCmd) Run(a *app) error {
	if _, err := compose.Engine(a.ctx); err != nil {
		return exitstatus.Lacks(err)
	}
	pinned, err := compose.Pin(a.ctx, filepath.Join(a.root, "versions.env"))
	if err != nil {
		return err
	}
	for _, image := range pinned {
		fmt.Fprintf(a.stdout, "%s=%s\n", image.Variable, image.Name)
	}
	return nil
}
