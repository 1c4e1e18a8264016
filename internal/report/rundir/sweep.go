package rundir

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/limitmap"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/mattersreport"
	"h2lab/internal/report/page"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/sweepreport"
	"h2lab/internal/report/translations"
)

// SweepPage is the page of a sweep.
const SweepPage = "sweep.md"

// Summary is a sweep's summary for a terminal. path is the page's location as it prints it.
type Summary func(path string, l translations.Language, colour bool) string

// DrawSweep judges a sweep, writes its verdicts and its page, in both languages, and returns its summary.
func DrawSweep(dir string) (short Summary, err error) {
	r, err := results.Read(dir)
	if err != nil {
		return nil, err
	}
	if limitmap.Of(r) {
		short = func(path string, l translations.Language, colour bool) string {
			return mattersreport.Short(mattersreport.Input{Result: r, Path: path, Language: l}, colour)
		}
	} else {
		short = func(path string, l translations.Language, colour bool) string {
			return sweepreport.Short(sweepreport.Input{Result: r, Path: path, Language: l}, colour)
		}
	}
	return short, drawSweep(dir, r)
}

// sweepPage is a sweep's page in one language.
type sweepPage struct {
	name    string
	files   map[string][]byte
	numbers []parts.Sources
}

func drawSweep(dir string, r *facts.Result) error {
	judgement, build := sweepverdicts.Judge, sweepIn
	if limitmap.Of(r) {
		judgement, build = limitmap.Judge, mattersIn
	}
	if err := results.WriteVerdicts(dir, judgement(r)); err != nil {
		return err
	}
	for _, l := range []translations.Language{translations.English, translations.Chinese} {
		built, err := build(r, l)
		if err != nil {
			return fmt.Errorf("drawing the page of %s: %w", dir, err)
		}
		if err := writeAll(dir, built.files); err != nil {
			return err
		}
		p := page.Input{Title: r.Run.Command + " " + r.Run.ID, Lang: string(l)}
		for _, s := range built.numbers {
			p.Numbers = append(p.Numbers, pointed(s))
		}
		if l == translations.Chinese {
			p.Words = &chinesePage
		}
		if err := writePage(dir, p, built.name, built.files, []string{results.File, results.VerdictsFile}); err != nil {
			return err
		}
	}
	return nil
}

func sweepIn(r *facts.Result, l translations.Language) (sweepPage, error) {
	b, err := sweepreport.Build(sweepreport.Input{Result: r, Language: l})
	return sweepPage{sweepreport.Name(l), b.Files, b.Numbers}, err
}

func mattersIn(r *facts.Result, l translations.Language) (sweepPage, error) {
	b, err := mattersreport.Build(mattersreport.Input{Result: r, Language: l})
	return sweepPage{mattersreport.Name(l), b.Files, b.Numbers}, err
}
