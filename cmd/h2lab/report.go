package main

import (
	"fmt"
	"path/filepath"

	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

type reportCmd struct {
	Runs    []string `arg:"" optional:"" name:"run" env:"RUN" sep:"none" help:"Directories of runs; usually the newest."`
	Results string   `env:"RESULTS" placeholder:"DIR" help:"Directory of runs; usually results/ of the checkout."`
}

// Run draws reports again. It measures nothing and judges by the same rules as a new run.
func (c *reportCmd) Run(a *app) error {
	dirs := c.Runs
	if len(dirs) == 0 {
		dirs = []string{filepath.Join(a.resultsDir(c.Results), results.Latest)}
	}
	for _, dir := range dirs {
		r, page, err := redraw(dir)
		if err != nil {
			return err
		}
		for _, m := range results.Missing(r) {
			a.say("h2lab: missing: %s", m)
		}
		fmt.Fprintf(a.stdout, "%s\n", a.show(filepath.Join(dir, page)))
	}
	return nil
}

// redraw draws the report of a run of either kind and returns the path of its page.
func redraw(dir string) (r *facts.Result, page string, err error) {
	if r, err = results.Read(dir); err != nil {
		return nil, "", err
	}
	if r.Run.Command == plan.Clients {
		return r, clientsPage, drawClients(dir, r)
	}
	_, err = draw(dir)
	return r, "report.md", err
}
