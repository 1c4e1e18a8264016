package main

import (
	"fmt"
	"path/filepath"

	"h2lab/internal/plan"
	"h2lab/internal/results"
)

type reportCmd struct {
	Runs    []string `arg:"" optional:"" name:"run" help:"Directories of runs; the newest when none is given."`
	Results string   `env:"RESULTS" default:"results" help:"Directory that runs are kept in."`
}

// Run draws reports again; nothing is measured, and nothing is judged by other
// rules than a fresh run's.
func (c *reportCmd) Run(a *app) error {
	dirs := c.Runs
	if len(dirs) == 0 {
		dirs = []string{filepath.Join(a.root, c.Results, results.Latest)}
	}
	for _, dir := range dirs {
		r, err := results.Read(dir)
		if err != nil {
			return err
		}
		page := "report.md"
		if r.Run.Command == plan.Clients {
			page, err = clientsPage, drawClients(dir, r)
		} else {
			_, err = draw(dir)
		}
		if err != nil {
			return err
		}
		for _, m := range results.Missing(r) {
			a.say("h2lab: missing: %s", m)
		}
		fmt.Fprintf(a.stdout, "%s\n", relative(a.root, filepath.Join(dir, page)))
	}
	return nil
}
