// Package rundir draws the reports of a run's directory, from its results.json alone, and copies a run
// without what is drawn from it.
package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
	"h2lab/internal/judge/limitmap"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/clientreport"
	"h2lab/internal/report/mattersreport"
	"h2lab/internal/report/page"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/runreport"
	"h2lab/internal/report/storyreport"
	"h2lab/internal/report/sweepreport"
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

// writeReportPage writes a report's text as one HTML file as well, with its charts and the raw data
// behind its numbers.
func writeReportPage(dir string, in runreport.Input, files map[string][]byte) error {
	var numbers []page.Table
	for _, s := range runreport.Numbers(in) {
		numbers = append(numbers, pointed(s))
	}
	p := page.Input{Title: in.Result.Run.Command + " " + in.Result.Run.ID, Lang: string(in.Language), Numbers: numbers}
	if in.Language == translations.Chinese {
		p.Words = &chinesePage
	}
	return writePage(dir, p, runreport.Name(in.Language), files, []string{results.File, results.VerdictsFile})
}

var chinesePage = page.Words{Dark: "深色", Light: "浅色", Raw: "原始数据", Trial: "试验", Value: "值", Evidence: "依据",
	Close: "关闭", File: "完整文件"}

// pointed maps each number to the document of the trials behind it.
func pointed(s parts.Sources) page.Table {
	t := page.Table{Heads: s.Heads}
	for _, row := range s.Cells {
		line := make([]string, len(row))
		for i, pointer := range row {
			if pointer != "" {
				line[i] = results.File + "#" + pointer
			}
		}
		t.Cells = append(t.Cells, line)
	}
	return t
}

// writeClientsPage does the same for a client matrix. It embeds clients.json, because the
// results.json of a hundred programs is too large for a page.
func writeClientsPage(dir string, l translations.Language, files map[string][]byte) error {
	in := page.Input{Title: "Which clients survive", Lang: string(l)}
	if l == translations.Chinese {
		in.Title, in.Words = "哪些客户端不受影响", &chinesePage
	}
	return writePage(dir, in, clientreport.Name(l), files, []string{"clients.json"})
}

func writePage(dir string, in page.Input, markdown string, files map[string][]byte, raw []string) error {
	in.Markdown = files[markdown]
	in.Read = func(name string) ([]byte, error) {
		if b, ok := files[name]; ok {
			return b, nil
		}
		return nil, fmt.Errorf("%s shows %s, which was not drawn", markdown, name)
	}
	for _, name := range raw {
		b, err := rawData(dir, name, files)
		if err != nil {
			return err
		}
		in.Raw = append(in.Raw, page.Raw{Name: name, JSON: b})
	}
	html, err := page.Build(in)
	if err != nil {
		return fmt.Errorf("drawing %s as a page: %w", markdown, err)
	}
	return results.WriteFile(dir, strings.TrimSuffix(markdown, ".md")+".html", html)
}

// rawData returns a document as just drawn, or as stored in the run's directory.
func rawData(dir, name string, files map[string][]byte) ([]byte, error) {
	if b, ok := files[name]; ok {
		return b, nil
	}
	return results.ReadFile(dir, name)
}

// CopyMeasured copies the measured data of a run, without what is drawn from it, to a directory below
// results/. It replaces the copy of an earlier replay.
func CopyMeasured(from, resultsDir, to string) error {
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
		b, err := source.Read(name, results.MaxFileSize)
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

// drawn reports whether a file of a run is made from the others.
func drawn(rel string) bool {
	switch path.Ext(rel) {
	case ".md", ".html", ".svg":
		return true
	}
	return rel == "verdicts.json" || rel == "clients.json"
}
