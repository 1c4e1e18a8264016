package main

import (
	"github.com/alecthomas/kong"
)

// groups are the groups of verbs in the help, in this order.
var groups = []kong.Group{
	{Key: "lab", Title: "The lab", Description: "Measure the fault on this machine."},
	{Key: "now", Title: "Something fails now",
		Description: "Look at servers, clients and logs of your own. These need no checkout."},
	{Key: "teaching", Title: "Teaching", Description: "The workshop of docs/workshop."},
	{Key: "setup", Title: "Set-up"},
}

// newParser makes the parser that run and the tests share.
func newParser(c *cli, ks *knobs, more ...kong.Option) (*kong.Kong, error) {
	more = append(numbers(), more...)
	return kong.New(c, append([]kong.Option{kong.Name("h2lab"),
		kong.Description("Why HTTP/2 behind a proxy is slower than HTTP/1.1, and why requests fail with GOAWAY: " +
			"reproduced, measured, explained."),
		kong.ExplicitGroups(groups), kong.PostBuild(ks.read)}, more...)...)
}

// The examples in each verb's help; users can paste them.

func (c *fixedCmd) Help() string {
	return examples("h2lab fixed --quick", "h2lab fixed --limit 100 --trials 6 --runtime native")
}

func (c *matrixCmd) Help() string {
	return examples("h2lab matrix --quick",
		"h2lab matrix --topology nginx-1000,envoy-1000 --protocol h2 --client go-once")
}

func (c *reportCmd) Help() string {
	return examples("h2lab report", "h2lab report testdata/recorded/repro testdata/recorded/fixed")
}

func (c *upCmd) Help() string {
	return examples("h2lab up", "h2lab up --limit 100 --key ecdsa --runtime native")
}

func (c *downCmd) Help() string {
	return examples("h2lab down", "h2lab --root ~/h2-keepalive-lab down")
}

func (c *benchCmd) Help() string { return examples("h2lab bench", "h2lab bench --trials 20") }

func (c *workshopCmd) Help() string {
	return examples("h2lab workshop", "h2lab --root ~/h2-keepalive-lab workshop")
}

func (c *stepCmd) Help() string { return examples("h2lab step 1", "h2lab step 4 --hint 1") }

func (c *mysteryCmd) Help() string { return examples("h2lab mystery", "h2lab mystery --stop") }

func (c *doctorCmd) Help() string {
	return examples("h2lab doctor", "h2lab --root ~/h2-keepalive-lab doctor")
}

func (c *pinCmd) Help() string {
	return examples("h2lab pin", "h2lab --root ~/h2-keepalive-lab pin")
}

func (c *probeCmd) Help() string {
	return examples("h2lab probe https://example.org/health",
		"h2lab probe --rps 300 --in-flight 40 --json https://example.org/health")
}

func examples(first, second string) string { return "Examples:\n  " + first + "\n  " + second }
