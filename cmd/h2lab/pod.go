package main

import (
	"h2lab/internal/lab/compose"
)

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
