package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
)

type delayCmd struct {
	plan.Distance `embed:""`
	Command       []string `arg:"" optional:"" passthrough:"" help:"The command and its arguments. For the command 127.0.0.1 is this machine, at the other end of the line."`
}

func (c *delayCmd) Help() string {
	return examples("h2lab delay --rtt 20ms -- curl -o /dev/null -sw '%{time_connect}\\n' http://127.0.0.1:18090/metrics",
		"h2lab delay --rtt 80ms --jitter 10ms --loss 0.1 --bandwidth 100 -- k6 run script.js")
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
	if status != statusDone {
		return relayed{status}
	}
	return nil
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
