package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"h2lab/internal/base/text"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/sweepreport"
)

// finishSweep draws the page of a sweep that ended with err and prints its summary on stdout.
func (a *app) finishSweep(dir string, err error) error {
	var unsaved *conduct.SaveError
	if dir == "" || errors.As(err, &unsaved) {
		return err // there is no run, or no space for its page
	}
	return errors.Join(err, a.reportSweep(dir))
}

func (a *app) reportSweep(dir string) error {
	in, err := rundir.DrawSweep(dir)
	if err != nil {
		return err
	}
	if err := results.Link(filepath.Dir(dir), filepath.Base(dir)); err != nil {
		return err
	}
	in.Path = a.show(filepath.Join(dir, rundir.SweepPage))
	// its text is escaped already, and the colours are h2lab's own
	fmt.Fprint(text.Raw(a.stdout), sweepreport.Short(in, terminal(a.stdout) && colours()))
	return nil
}
