package main

import (
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
	return a.summarise(dir, sweepreport.Name(a.language), func(path string, colour bool) string {
		return short(path, a.language, colour)
	})
}
