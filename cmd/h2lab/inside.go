package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/plan"
)

// orderVariable is the environment variable that passes an order into the pod.
const orderVariable = "H2LAB_ORDER"

// order is what the h2lab on the host passes to the one in the pod, as one value: what to measure,
// and what only the host can find out.
type order struct {
	Command  string
	Knobs    plan.Knobs
	Timeline bool
	// Budgets are the CPU limits of each service as the engine set them, because the pod can't read
	// their cgroups; null is unlimited.
	Budgets map[string]*float64
	Git     facts.Git // there is no git in the image
	// Lacks are the client programs without a container, with the reason: only the host builds images.
	Lacks map[facts.Client]string
	// ShownRoot is the checkout's path as the host prints it; empty where the user is in the checkout.
	ShownRoot string
}

// insideCmd measures in the pod, whose servers are running.
type insideCmd struct{}

// Run carries out the order, which the host has validated.
func (c *insideCmd) Run(a *app) error {
	given := os.Getenv(orderVariable)
	if given == "" {
		return exitstatus.WrongUsage(errors.New("inside is for the h2lab in the pod; on the host use: make repro RUNTIME=docker"))
	}
	var o order
	if err := json.Unmarshal([]byte(given), &o); err != nil {
		return fmt.Errorf("%s: %w; the image is older than this checkout: make repro RUNTIME=docker builds it again",
			orderVariable, err)
	}
	a.host = &o
	flags := measureFlags{Knobs: o.Knobs, Results: "results", Timeline: o.Timeline}
	if o.Command == plan.Clients {
		return o.clients(a, &flags)
	}
	cells, err := plan.Cells(o.Command, o.Knobs)
	if err != nil {
		return err
	}
	return flags.here(a, runtimePod, o.Command, cells)
}

// clients measures the client matrix.
func (o *order) clients(a *app, flags *measureFlags) error {
	const dir = "clients"
	all, err := clients.Read(a.root, dir)
	if err != nil {
		return err
	}
	chosen, err := clients.Only(all, o.Knobs.Only)
	if err != nil {
		return err
	}
	return newClientsRun(flags, chosen, dir, explicitly(o.Knobs.Only)).here(a, runtimePod)
}

// budgets returns the budgets in the order. It leaves out a service without one, which is unlimited.
func (o *order) budgets() map[string]float64 {
	out := map[string]float64{}
	for name, cpus := range o.Budgets {
		if cpus != nil {
			out[name] = *cpus
		}
	}
	return out
}
