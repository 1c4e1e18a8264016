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
	"h2lab/internal/base/texts"
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
	build func(parts.Input) (parts.Built, error)
	short func(in parts.Input, colour bool) string
	kept  func(*facts.Result, []facts.Verdict) error // nil where the command promises nothing
	// data are the documents within the HTML page.
	data []string
}

// kinds are all kinds; the last one is that of every other command.
var kinds = []kind{
	{of(plan.Clients), ClientsPage, nil, clientreport.Build, clientreport.Short, nil, []string{"clients.json"}},
	{of(plan.Story), StoryPage, storyverdicts.Judge, storyreport.Build, storyreport.Short, storyverdicts.Kept, judged},
	{limitmap.Of, SweepPage, limitmap.Judge, mattersreport.Build, mattersreport.Short, nil, judged},
	{of(sweepverdicts.Command), SweepPage, sweepverdicts.Judge, sweepreport.Build, sweepreport.Short, nil, judged},
	{func(*facts.Result) bool { return true }, ReportPage, runverdicts.Judge, runreport.Build, runreport.Short, runverdicts.Kept,
		judged},
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
	for _, l := range []texts.Language{texts.English, texts.Chinese} {
		if err := r.draw(l); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Page is the name of a run's page in a language.
func (r Run) Page(l texts.Language) string {
	return parts.Name(strings.TrimSuffix(r.kind.page, ".md"), l)
}

// Short is the summary for a terminal, escaped; path is the page's location as it prints it.
func (r Run) Short(path string, l texts.Language, colour bool) string {
	return r.kind.short(r.input(path, l), colour)
}

// Kept compares the verdicts with what the command promises to show.
func (r Run) Kept() error {
	if r.kind.kept == nil {
		return nil
	}
	return r.kind.kept(r.Result, r.Verdicts)
}

func (r Run) input(path string, l texts.Language) parts.Input {
	return parts.Input{Result: r.Result, Verdicts: r.Verdicts, Series: SeriesIn(r.dir), Diff: r.diff, Path: path, Language: l}
}

// draw writes the page in one language, as text and as one HTML file with its charts and the raw data behind its numbers.
func (r Run) draw(l texts.Language) error {
	built, err := r.kind.build(r.input("", l))
	if err != nil {
		return fmt.Errorf("drawing the page of %s: %w", r.dir, err)
	}
	for name, b := range built.Files {
		if err := results.WriteFile(r.dir, name, b); err != nil {
			return err
		}
	}
	in := page.Input{Title: r.Result.Run.Command + " " + r.Result.Run.ID, Language: l, Markdown: built.Files[r.Page(l)]}
	if r.kind.judge == nil {
		in.Title = l.Say("page.which-clients-survive")
	}
	for _, s := range built.Numbers {
		in.Numbers = append(in.Numbers, pointed(s))
	}
	in.Read = func(name string) ([]byte, error) {
		if b, ok := built.Files[name]; ok {
			return b, nil
		}
		return results.ReadFile(r.dir, name)
	}
	for _, name := range r.kind.data {
		b, err := in.Read(name)
		if err != nil {
			return err
		}
		in.Raw = append(in.Raw, page.Raw{Name: name, JSON: b})
	}
	html, err := page.Build(in)
	if err != nil {
		return fmt.Errorf("drawing %s as a page: %w", r.Page(l), err)
	}
	return results.WriteFile(r.dir, strings.TrimSuffix(r.Page(l), ".md")+".html", html)
}

// SeriesIn reads the timelines of a run.
func SeriesIn(dir string) func(string) (facts.Series, error) {
	return func(rel string) (facts.Series, error) { return results.ReadSeries(dir, rel) }
}

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
