package main

import (
	"fmt"

	"h2lab/internal/base/text"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/sweepreport"
)

// finishSweep draws the page of a sweep that ended with err and prints its summary on stdout.
func (a *app) finishSweep(dir string, err error) error {
	return ended(dir, err, func() error { return a.reportSweep(dir) })
}

func (a *app) reportSweep(dir string) error {
	short, err := rundir.DrawSweep(dir)
	if err != nil {
		return err
	}
	path, err := a.newest(dir, sweepreport.Name(a.language))
	if err != nil {
		return err
	}
	// its text is escaped already, and the colours are h2lab's own
	fmt.Fprint(text.Raw(a.stdout), short(path, a.language, terminal(a.stdout) && colours()))
	return nil
}
