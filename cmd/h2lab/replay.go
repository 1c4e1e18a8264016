package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	return "Examples:\n  h2lab replay\n  h2lab replay testdata/recorded/fixed --speed 2\n  h2lab replay --no-serve results/latest"
}

// Run draws the report from the raw data alone and plays the timelines back.
// The recorded run itself is left as it is.
func (c *replayCmd) Run(a *app) error {
	if c.Rounds < 1 || !(c.Speed >= 0.1 && c.Speed <= 100) {
		return usageError{fmt.Errorf("ROUNDS=%d SPEED=%g: one round is the least, and the speed is 0.1 to 100", c.Rounds, c.Speed)}
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
	if from, err = filepath.EvalSymlinks(from); err != nil { // results/latest is one
		return err
	}
	dir := filepath.Join(c.dir(a), "replay-"+r.Run.ID)
	if err := rawCopy(from, dir); err != nil {
		return fmt.Errorf("copying the raw data of %s: %w", a.show(from), err)
	}
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
	html := filepath.Join(dir, strings.TrimSuffix(page, ".md")+".html")
	return c.serve(a, live.Replay(r, seriesIn(dir), c.Rounds, c.Speed), func() string { return html })
}

// rawCopy copies what was measured and nothing that is drawn from it. A copy
// of an earlier replay is replaced.
func rawCopy(from, to string) error {
	if there, err := filepath.EvalSymlinks(to); err == nil && there == from {
		return nil // a replay of a replay
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || d.IsDir() || drawn(rel) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return write(to, rel, b)
	})
}

// drawn reports whether a file of a run is made from the others.
func drawn(rel string) bool {
	switch filepath.Ext(rel) {
	case ".md", ".html", ".svg":
		return true
	}
	return rel == "verdicts.json" || rel == "clients.json"
}
