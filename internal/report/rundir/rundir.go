// Package rundir draws the reports of a run's directory, from its results.json alone, and copies a run
// without what is drawn from it.
package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"h2lab/internal/facts"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/clientreport"
	"h2lab/internal/report/runreport"
	"h2lab/internal/report/translations"
)

// The pages of the kinds of runs.
const (
	ReportPage  = "report.md"
	ClientsPage = "clients.md"
	StoryPage   = "story.md"
)

// Redraw draws the report of a run of any kind and returns the name of its page.
func Redraw(dir string) (r *facts.Result, page string, err error) {
	if r, err = results.Read(dir); err != nil {
		return nil, "", err
	}
	switch r.Run.Command {
	case plan.Clients:
		return r, ClientsPage, DrawClients(dir, r)
	case plan.Story:
		_, err = DrawStory(dir)
		return r, StoryPage, err
	case sweepverdicts.Command:
		return r, SweepPage, drawSweep(dir, r)
	}
	_, err = Draw(dir)
	return r, ReportPage, err
}

// Input reads everything that a report is drawn from, from dir alone.
func Input(dir string) (runreport.Input, error) {
	r, err := results.Read(dir)
	if err != nil {
		return runreport.Input{}, err
	}
	in := runreport.Input{Result: r, Series: SeriesIn(dir)}
	if in.Diff, err = limitDiff(dir); err != nil {
		return in, err
	}
	in.Verdicts = runverdicts.Judge(r).Verdicts
	return in, nil
}

// limitDiff reads the diff of the two nginx configurations; a run may have none.
func limitDiff(dir string) (string, error) {
	d, err := results.ReadFile(dir, results.DiffFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(d), err
}

// SeriesIn reads the timelines of a run.
func SeriesIn(dir string) func(string) (facts.Series, error) {
	return func(rel string) (facts.Series, error) { return results.ReadSeries(dir, rel) }
}

// Draw judges a run and writes its verdicts and its report, in both languages.
func Draw(dir string) (runreport.Input, error) {
	in, err := Input(dir)
	if err != nil {
		return in, err
	}
	if err := results.WriteVerdicts(dir, runverdicts.Judge(in.Result)); err != nil {
		return in, err
	}
	if err := drawIn(dir, in); err != nil {
		return in, err
	}
	return in, drawIn(dir, InChinese(in))
}

// InChinese returns what the Chinese report of a run is drawn from.
func InChinese(in runreport.Input) runreport.Input {
	in.Language = translations.Chinese
	return in
}

// drawIn writes the report in one language, as text and as a page.
func drawIn(dir string, in runreport.Input) error {
	files, err := runreport.Build(in)
	if err != nil {
		return fmt.Errorf("drawing the report of %s: %w", dir, err)
	}
	if err := writeAll(dir, files); err != nil {
		return err
	}
	return writeReportPage(dir, in, files)
}

// DrawClients judges a client matrix and writes its data, and its page and chart in both languages.
func DrawClients(dir string, r *facts.Result) error {
	drawn := map[string][]byte{} // the English page's data is the other page's too
	for _, l := range []translations.Language{translations.English, translations.Chinese} {
		files, err := clientreport.Build(clientreport.Input{Result: r, Language: l})
		if err != nil {
			return fmt.Errorf("drawing the page of %s: %w", dir, err)
		}
		if err := writeAll(dir, files); err != nil {
			return err
		}
		maps.Copy(drawn, files)
		if err := writeClientsPage(dir, l, drawn); err != nil {
			return err
		}
	}
	return nil
}

func writeAll(dir string, files map[string][]byte) error {
	for name, b := range files {
		if err := results.WriteFile(dir, name, b); err != nil {
			return err
		}
	}
	return nil
}
