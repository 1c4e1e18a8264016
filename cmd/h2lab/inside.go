package main

import (
	"os"

	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
	"h2lab/internal/report/translations"
)

// insideCmd measures in the pod, whose servers are running.
type insideCmd struct{}

// Run carries out the order, which the host has validated, and draws the report.
func (c *insideCmd) Run(a *app) (err error) {
	if a.host, err = runs.ParseOrder(os.Getenv(runs.OrderVariable)); err != nil {
		return err
	}
	a.language = translations.Language(a.host.Language)
	p := newProgress(a)
	l := a.lab("results", p)
	dir, err := l.Inside(a.ctx)
	p.stop()
	if a.host.Command == plan.Clients {
		return a.finishClients(dir, err)
	}
	return a.finish(dir, err, !a.host.Knobs.Narrowed())
}
