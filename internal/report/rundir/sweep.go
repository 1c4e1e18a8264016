package rundir

import (
	"fmt"
	"maps"

	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/page"
	"h2lab/internal/report/sweepreport"
	"h2lab/internal/report/translations"
)

// SweepPage is the page of a sweep.
const SweepPage = "sweep.md"

// DrawSweep judges a sweep and writes its verdicts and its page, in both languages.
func DrawSweep(dir string) (sweepreport.Input, error) {
	r, err := results.Read(dir)
	if err != nil {
		return sweepreport.Input{}, err
	}
	return sweepreport.Input{Result: r}, drawSweep(dir, r)
}

func drawSweep(dir string, r *facts.Result) error {
	if err := results.WriteVerdicts(dir, sweepverdicts.Judgement(r)); err != nil {
		return err
	}
	var charts map[string][]byte // the English page's, which is drawn first
	for _, l := range []translations.Language{translations.English, translations.Chinese} {
		built, err := sweepreport.Build(sweepreport.Input{Result: r, Language: l})
		if err != nil {
			return fmt.Errorf("drawing the page of %s: %w", dir, err)
		}
		if err := writeAll(dir, built.Files); err != nil {
			return err
		}
		maps.Copy(built.Files, charts)
		charts = built.Files
		p := page.Input{Title: r.Run.Command + " " + r.Run.ID, Lang: string(l)}
		for _, s := range built.Numbers {
			p.Numbers = append(p.Numbers, pointed(s))
		}
		if l == translations.Chinese {
			p.Words = &chinesePage
		}
		if err := writePage(dir, p, sweepreport.Name(l), built.Files,
			[]string{results.File, results.VerdictsFile}); err != nil {
			return err
		}
	}
	return nil
}
