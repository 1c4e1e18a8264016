package main

import (
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/judge/storyverdicts"
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
	err = a.summarise(dir, storyreport.Name(a.language), func(path string, colour bool) string {
		in.Path = path
		return storyreport.Short(in, colour)
	})
	if err != nil || !decides {
		return err
	}
	if err := storyverdicts.Kept(in.Result, in.Verdicts); err != nil {
		return exitstatus.Contradicts(err)
	}
	return nil
}
