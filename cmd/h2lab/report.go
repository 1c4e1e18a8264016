package main

import (
	"fmt"
	"path/filepath"

	"h2lab/internal/lab/results"
	"h2lab/internal/report/rundir"
)

type reportCmd struct {
	Runs    []string `arg:"" optional:"" name:"run" env:"RUN" sep:"none" help:"Directories of runs. Default: the newest."`
	Results string   `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
}

// Run draws reports again. It measures nothing and judges by the same rules as a new run.
func (c *reportCmd) Run(a *app) error {
	dirs := c.Runs
	if len(dirs) == 0 {
		dirs = []string{filepath.Join(a.resultsDir(c.Results), results.Latest)}
	}
	for _, dir := range dirs {
		r, page, err := rundir.Redraw(dir)
		if err != nil {
			return err
		}
		for _, m := range results.Missing(r) {
			a.tell("command.missing-3", m)
		}
		fmt.Fprintf(a.stdout, "%s\n", a.show(filepath.Join(dir, a.page(page))))
	}
	return nil
}
