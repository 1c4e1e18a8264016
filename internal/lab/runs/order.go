package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// OrderVariable is the environment variable that passes an order into the pod.
const OrderVariable = "H2LAB_ORDER"

// Order is what the h2lab on the host passes to the one in the pod, as one value: what to measure,
// and what only the host can find out.
type Order struct {
	Command  string
	Knobs    plan.Knobs
	Timeline bool
	// Budgets are the CPU limits of each service as the engine set them, because the pod can't read
	// their cgroups; null is unlimited.
	Budgets map[string]*float64
	// Accounts are what the nginx servers say of themselves, which the host asks through the engine.
	Accounts map[string]native.Account
	Git      facts.Git // there is no git in the image
	// Lacks are the client programs without a container, with the reason: only the host builds images.
	Lacks map[facts.Client]string
	// ShownRoot is the checkout's path as the host prints it; empty where the user is in the checkout.
	ShownRoot string
	// Language is that of the summary, as HTML's lang attribute.
	Language string
}

// ParseOrder reads an order as the host encoded it.
func ParseOrder(given string) (*Order, error) {
	if given == "" {
		return nil, exitstatus.WrongUsage(
			errors.New("inside is for the h2lab in the pod; on the host use: make repro RUNTIME=docker"))
	}
	o := &Order{}
	if err := json.Unmarshal([]byte(given), o); err != nil {
		return nil, fmt.Errorf("%s: %w; the image is older than this checkout: make repro RUNTIME=docker builds it again",
			OrderVariable, err)
	}
	return o, nil
}

// Inside carries out the order in the pod, whose servers are running. The host has validated it.
func (l *Lab) Inside(ctx context.Context) (dir string, err error) {
	o := l.Order
	q := Request{Command: o.Command, Knobs: o.Knobs, Timeline: o.Timeline, Runtime: pod}
	if o.Command != plan.Clients {
		cells, err := plan.Cells(o.Command, o.Knobs)
		if err != nil {
			return "", err
		}
		return l.native(ctx, q, cells)
	}
	all, err := clients.Read(l.Root, OwnPrograms)
	if err != nil {
		return "", err
	}
	chosen, err := clients.Only(all, o.Knobs.Only)
	if err != nil {
		return "", err
	}
	if chosen, err = l.withRate(chosen, o.Knobs); err != nil {
		return "", err
	}
	m := newClientsRun(q, chosen, OwnPrograms)
	if err := m.reach(l); err != nil {
		return "", err
	}
	return m.measure(ctx, l)
}

// budgets returns the budgets in the order. It leaves out a service without one, which is unlimited.
func (o *Order) budgets() map[string]float64 {
	out := map[string]float64{}
	for name, cpus := range o.Budgets {
		if cpus != nil {
			out[name] = *cpus
		}
	}
	return out
}
