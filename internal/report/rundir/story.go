package rundir

import (
	"fmt"

	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/page"
	"h2lab/internal/report/storyreport"
	"h2lab/internal/report/translations"
)

// DrawStory judges a story and writes its verdicts and its page, in both languages.
func DrawStory(dir string) (storyreport.Input, error) {
	r, err := results.Read(dir)
	if err != nil {
		return storyreport.Input{}, err
	}
	judgement := storyverdicts.Judge(r)
	in := storyreport.Input{Result: r, Verdicts: judgement.Verdicts, Language: translations.English}
	if in.Diff, err = limitDiff(dir); err != nil {
		return in, err
	}
	if err := results.WriteVerdicts(dir, judgement); err != nil {
		return in, err
	}
	if err := drawStoryIn(dir, in); err != nil {
		return in, err
	}
	return in, drawStoryIn(dir, StoryInChinese(in))
}

// StoryInChinese returns what the Chinese page of a story is drawn from.
func StoryInChinese(in storyreport.Input) storyreport.Input {
	in.Language = translations.Chinese
	return in
}

// drawStoryIn writes the page in one language, as text and as HTML.
func drawStoryIn(dir string, in storyreport.Input) error {
	files, err := storyreport.Build(in)
	if err != nil {
		return fmt.Errorf("drawing the story of %s: %w", dir, err)
	}
	if err := writeAll(dir, files); err != nil {
		return err
	}
	p := page.Input{Title: in.Result.Run.Command + " " + in.Result.Run.ID, Lang: string(in.Language)}
	for _, s := range storyreport.Numbers(in) {
		p.Numbers = append(p.Numbers, pointed(s))
	}
	if in.Language == translations.Chinese {
		p.Words = &chinesePage
	}
	return writePage(dir, p, storyreport.Name(in.Language), files, []string{results.File, results.VerdictsFile})
}
