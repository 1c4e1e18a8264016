package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/rundir"
)

type replayCmd struct {
	viewFlags `embed:""`
	Recorded  string  `arg:"" optional:"" name:"run" env:"RUN" help:"Directory of a run. Default: testdata/recorded/repro."`
	Rounds    int     `env:"ROUNDS" default:"1" help:"Trials of each cell that are played."`
	Speed     float64 `env:"SPEED" default:"1" help:"How many times faster than it was recorded."`
	Serve     bool    `env:"SERVE" default:"true" negatable:"" help:"Serve the live view. --no-serve only draws the report."`
}

// Help shows what a user can paste.
func (c *replayCmd) Help() string {
	return "Examples:\n  h2lab replay\n  h2lab replay testdata/recorded/fixed --speed 2\n  h2lab replay --no-serve " +
		"results/latest"
}

// Run draws the report from the raw data alone and plays the timelines back. It doesn't change the
// recorded run.
func (c *replayCmd) Run(a *app) error {
	if c.Rounds < 1 || !(c.Speed >= 0.1 && c.Speed <= 100) {
		return exitstatus.WrongUsage(fmt.Errorf("ROUNDS=%d SPEED=%g: ROUNDS is 1 or more, SPEED 0.1 to 100",
			c.Rounds, c.Speed))
	}
	if err := a.placeForResults(c.Results); err != nil {
		return err
	}
	from := c.Recorded
	if from == "" {
		from = filepath.Join(a.root, "testdata", "recorded", "repro")
	}
	r, err := results.Read(from)
	if err != nil {
		return err
	}
	to := "replay-" + r.Run.ID
	if err := rooted.Element(to); err != nil {
		return fmt.Errorf("%s: run.id: %w", a.show(filepath.Join(from, results.File)), err)
	}
	if err := rundir.CopyMeasured(from, c.dir(a), to); err != nil {
		return fmt.Errorf("copying the raw data of %s: %w", a.show(from), err)
	}
	dir := filepath.Join(c.dir(a), to)
	_, page, err := rundir.Redraw(dir)
	if err != nil {
		return err
	}
	page = a.page(page)
	fmt.Fprintf(a.stdout, "%s\n", a.show(filepath.Join(dir, page)))
	if !c.Serve {
		return nil
	}
	if r.Run.Command == plan.Clients || !r.Run.Observed {
		a.tell("command.run-no-timelines-play")
		return nil
	}
	html := strings.TrimSuffix(page, ".md") + ".html"
	return c.serve(a, live.Replay(r, rundir.SeriesIn(dir), c.Rounds, c.Speed), func() []byte { return drawnPage(dir, html) })
}

// drawnPage returns a page of a run's directory, or nil where there is none.
func drawnPage(dir, name string) []byte {
	b, err := results.ReadFile(dir, name)
	if err != nil {
		return nil
	}
	return b
}
