// Package rundir draws the reports of a run's directory, from its results.json alone, and copies a run
// without what is drawn from it.
package rundir

import (
	"errors"
	"fmt"
	"io/fs"
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
	SweepPage   = "sweep.md"
)

// Run is a run of any kind with its verdicts: what its pages, its summary and its promise are made of.
type Run struct {
	Result   *facts.Result
	Verdicts []facts.Verdict
	dir      string
	diff     string // of the two nginx configurations
	kind     kind
}

// kind is one kind of run.
type kind struct {
	is    func(*facts.Result) bool
	page  string                              // the English one
	judge func(*facts.Result) facts.Judgement // nil where the page's own data has the verdicts
	build func(r Run, l translations.Language) (files map[string][]byte, numbers []parts.Sources, err error)
	short func(r Run, path string, l translations.Language, colour bool) string
	kept  func(*facts.Result, []facts.Verdict) error // nil where the command promises nothing
	// data are the documents within the HTML page.
	data []string
}

// kinds are all kinds; the last one is that of every other command.
var kinds = []kind{
	{is: of(plan.Clients), page: ClientsPage, build: buildClients, data: []string{"clients.json"},
		short: func(r Run, path string, l translations.Language, _ bool) string {
			return clientreport.Short(clientreport.Input{Result: r.Result, Language: l}, path)
		}},
	{is: of(plan.Story), page: StoryPage, judge: storyverdicts.Judge, build: buildStory, kept: storyverdicts.Kept, data: judged,
		short: func(r Run, path string, l translations.Language, colour bool) string {
			return storyreport.Short(r.story(path, l), colour)
		}},
	{is: limitmap.Of, page: SweepPage, judge: limitmap.Judge, data: judged,
		build: func(r Run, l translations.Language) (map[string][]byte, []parts.Sources, error) {
			b, err := mattersreport.Build(mattersreport.Input{Result: r.Result, Language: l})
			return b.Files, b.Numbers, err
		},
		short: func(r Run, path string, l translations.Language, colour bool) string {
			return mattersreport.Short(mattersreport.Input{Result: r.Result, Path: path, Language: l}, colour)
		}},
	{is: of(sweepverdicts.Command), page: SweepPage, judge: sweepverdicts.Judge, data: judged,
		build: func(r Run, l translations.Language) (map[string][]byte, []parts.Sources, error) {
			b, err := sweepreport.Build(sweepreport.Input{Result: r.Result, Language: l})
			return b.Files, b.Numbers, err
		},
		short: func(r Run, path string, l translations.Language, colour bool) string {
			return sweepreport.Short(sweepreport.Input{Result: r.Result, Path: path, Language: l}, colour)
		}},
	{is: func(*facts.Result) bool { return true }, page: ReportPage, judge: runverdicts.Judge, build: buildReport,
		kept: runverdicts.Kept, data: judged,
		short: func(r Run, path string, l translations.Language, colour bool) string {
			return runreport.Short(r.report(path, l), colour)
		}},
}

var judged = []string{results.File, results.VerdictsFile}

func of(command string) func(*facts.Result) bool {
	return func(r *facts.Result) bool { return r.Run.Command == command }
}

// Read reads a run and judges it.
func Read(dir string) (r Run, err error) {
	r.dir = dir
	if r.Result, err = results.Read(dir); err != nil {
		return r, err
	}
	for _, r.kind = range kinds {
		if r.kind.is(r.Result) {
			break
		}
	}
	if r.kind.judge != nil {
		r.Verdicts = r.kind.judge(r.Result).Verdicts
	}
	d, err := results.ReadFile(dir, results.DiffFile)
	if errors.Is(err, fs.ErrNotExist) { // a run may have none
		err = nil
	}
	r.diff = string(d)
	return r, err
}

// Draw reads a run, judges it, and writes its verdicts and its pages in both languages.
func Draw(dir string) (Run, error) {
	r, err := Read(dir)
	if err != nil {
		return r, err
	}
	if r.kind.judge != nil {
		if err := results.WriteVerdicts(dir, r.kind.judge(r.Result)); err != nil {
			return r, err
		}
	}
	for _, l := range []translations.Language{translations.English, translations.Chinese} {
		if err := r.draw(l); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Page is the name of a run's page in a language.
func (r Run) Page(l translations.Language) string {
	if l == translations.Chinese {
		return strings.TrimSuffix(r.kind.page, ".md") + ".zh.md"
	}
	return r.kind.page
}

// Short is the summary for a terminal, escaped; path is the page's location as it prints it.
func (r Run) Short(path string, l translations.Language, colour bool) string {
	return r.kind.short(r, path, l, colour)
}

// Kept compares the verdicts with what the command promises to show.
func (r Run) Kept() error {
	if r.kind.kept == nil {
		return nil
	}
	return r.kind.kept(r.Result, r.Verdicts)
}

// draw writes the page in one language, as text and as one HTML file with its charts and the raw data behind its numbers.
func (r Run) draw(l translations.Language) error {
	files, numbers, err := r.kind.build(r, l)
	if err != nil {
		return fmt.Errorf("drawing the page of %s: %w", r.dir, err)
	}
	for name, b := range files {
		if err := results.WriteFile(r.dir, name, b); err != nil {
			return err
		}
	}
	in := page.Input{Title: r.Result.Run.Command + " " + r.Result.Run.ID, Lang: string(l)}
	if r.kind.judge == nil {
		in.Title = l.Say("page.which-clients-survive")
	}
	for _, s := range numbers {
		in.Numbers = append(in.Numbers, pointed(s))
	}
	if l == translations.Chinese {
		in.Words = &chinesePage
	}
	return writePage(r.dir, in, r.Page(l), files, r.kind.data)
}

func (r Run) report(path string, l translations.Language) runreport.Input {
	return runreport.Input{Result: r.Result, Verdicts: r.Verdicts, Series: SeriesIn(r.dir), Diff: r.diff, Path: path, Language: l}
}

func (r Run) story(path string, l translations.Language) storyreport.Input {
	return storyreport.Input{Result: r.Result, Verdicts: r.Verdicts, Diff: r.diff, Path: path, Language: l}
}

func buildReport(r Run, l translations.Language) (map[string][]byte, []parts.Sources, error) {
	in := r.report("", l)
	files, err := runreport.Build(in)
	return files, runreport.Numbers(in), err
}

func buildStory(r Run, l translations.Language) (map[string][]byte, []parts.Sources, error) {
	in := r.story("", l)
	files, err := storyreport.Build(in)
	return files, storyreport.Numbers(in), err
}

// buildClients has no numbers with a place in results.json: that of a hundred programs is too large for a page.
func buildClients(r Run, l translations.Language) (map[string][]byte, []parts.Sources, error) {
	files, err := clientreport.Build(clientreport.Input{Result: r.Result, Language: l})
	return files, nil, err
}

// SeriesIn reads the timelines of a run.
func SeriesIn(dir string) func(string) (facts.Series, error) {
	return func(rel string) (facts.Series, error) { return results.ReadSeries(dir, rel) }
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
