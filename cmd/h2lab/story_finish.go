package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/text"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/storyreport"
)

// finishStory draws the page of a story that ended with err and prints its summary on stdout. Where the run has all
// cells it compares the verdicts with what the command claims to show.
func (a *app) finishStory(dir string, err error, whole bool) error {
	var unsaved *conduct.SaveError
	if dir == "" || errors.As(err, &unsaved) {
		return err // there is no run, or no space for its page
	}
	return errors.Join(err, a.reportStory(dir, whole && err == nil))
}

func (a *app) reportStory(dir string, decides bool) error {
	in, err := rundir.DrawStory(dir)
	if err != nil {
		return err
	}
	if err := results.Link(filepath.Dir(dir), filepath.Base(dir)); err != nil {
		return err
	}
	in.Path = a.show(filepath.Join(dir, rundir.StoryPage))
	// its text is escaped already, and the colours are h2lab's own
	fmt.Fprint(text.Raw(a.stdout), storyreport.Short(in, terminal(a.stdout) && colours()))
	if !decides {
		return nil
	}
	if err := storyverdicts.Kept(plan.Story, in.Verdicts); err != nil {
		return exitstatus.Contradicts(err)
	}
	return nil
}
