package main

import (
	"fmt"
	"path/filepath"

	"h2lab/internal/results"
)

type reportCmd struct {
	Dir     string `arg:"" optional:"" name:"run" help:"The run's directory; the newest when not given."`
	Results string `env:"RESULTS" default:"results" help:"Directory that runs are kept in."`
}

// Run draws the report again; nothing is measured and nothing is judged by
// other rules than a fresh run's.
func (c *reportCmd) Run(a *app) error {
	dir := c.Dir
	if dir == "" {
		dir = filepath.Join(a.root, c.Results, "latest")
	}
	in, err := draw(dir)
	if err != nil {
		return err
	}
	for _, m := range results.Missing(in.Result) {
		a.say("h2lab: missing: %s", m)
	}
	fmt.Fprintf(a.stdout, "%s\n", relative(a.root, filepath.Join(dir, "report.md")))
	return nil
}
