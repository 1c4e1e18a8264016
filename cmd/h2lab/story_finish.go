package main

import (
	"fmt"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/text"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/storyreport"
	"h2lab/internal/report/translations"
)

// finishStory draws the page of a story that ended with err and prints its summary on stdout. Where the run has all
// cells it compares the verdicts with what the command claims to show.
func (a *app) finishStory(dir string, err error, whole bool) error {
	return ended(dir, err, func() error { return a.reportStory(dir, whole && err == nil) })
}

func (a *app) reportStory(dir string, decides bool) error {
	in, err := rundir.DrawStory(dir)
	if err != nil {
		return err
	}
	if a.language == translations.Chinese {
		in = rundir.StoryInChinese(in)
	}
	if in.Path, err = a.newest(dir, storyreport.Name(a.language)); err != nil {
		return err
	}
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
