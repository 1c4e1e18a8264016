package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

type replayCmd struct {
	viewFlags `embed:""`
	Recorded  string  `arg:"" optional:"" name:"run" env:"RUN" help:"Directory of a run; usually testdata/recorded/repro."`
	Rounds    int     `env:"ROUNDS" default:"1" help:"Trials of each cell that are played."`
	Speed     float64 `env:"SPEED" default:"1" help:"How many times faster than it was."`
	Serve     bool    `env:"SERVE" default:"true" negatable:"" help:"Serve the live view; without it only the report is drawn."`
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
		return exitstatus.WrongUsage(fmt.Errorf("ROUNDS=%d SPEED=%g: one round is the least, and the speed is 0.1 to 100",
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
	if err := rawCopy(from, c.dir(a), to); err != nil {
		return fmt.Errorf("copying the raw data of %s: %w", a.show(from), err)
	}
	dir := filepath.Join(c.dir(a), to)
	_, page, err := redraw(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s\n", a.show(filepath.Join(dir, page)))
	if !c.Serve {
		return nil
	}
	if r.Run.Command == plan.Clients || !r.Run.Observed {
		a.say("h2lab: this run has no timelines to play back; its page is drawn")
		return nil
	}
	html := strings.TrimSuffix(page, ".md") + ".html"
	return c.serve(a, live.Replay(r, seriesIn(dir), c.Rounds, c.Speed), func() []byte { return drawnPage(dir, html) })
}

// mostOfAFile limits the size of a run's file that is copied or shown: ten times the largest file
// that the lab writes, Envoy's config dump.
const mostOfAFile = 128 << 20

// rawCopy copies the measured data of a run, without what is drawn from it, to a directory below
// results/. It replaces the copy of an earlier replay.
func rawCopy(from, resultsDir, to string) error {
	there, err := filepath.EvalSymlinks(filepath.Join(resultsDir, to))
	if err == nil && same(from, there) {
		return nil // a replay of a replay
	}
	source, err := rooted.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // opened for reading only
	names, err := source.Files()
	if err != nil {
		return err
	}
	runs, err := rooted.Make(resultsDir)
	if err != nil {
		return err
	}
	defer runs.Close() //nolint:errcheck // what was written is synced already
	if err := runs.Remove(to); err != nil {
		return err
	}
	for _, name := range names {
		if drawn(name) {
			continue
		}
		b, err := source.Read(name, mostOfAFile)
		if err != nil {
			return err
		}
		if err := runs.Write(path.Join(to, name), b); err != nil {
			return err
		}
	}
	return nil
}

// same reports whether two paths lead to the same directory, with links resolved.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// drawnPage returns a page of a run's directory, or nil where there is none.
func drawnPage(dir, name string) []byte {
	d, err := rooted.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close() //nolint:errcheck // opened for reading only
	b, err := d.Read(name, mostOfAFile)
	if err != nil {
		return nil
	}
	return b
}

// drawn reports whether a file of a run is made from the others.
func drawn(rel string) bool {
	switch path.Ext(rel) {
	case ".md", ".html", ".svg":
		return true
	}
	return rel == "verdicts.json" || rel == "clients.json"
}
