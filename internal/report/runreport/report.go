package runreport

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// Input is all data for a report.
type Input struct {
	Result   *facts.Result
	Verdicts []facts.Verdict
	// Language is that of the text; default English.
	Language translations.Language
	// Series reads a trial's timeline by its name in the result. It may be nil.
	Series func(rel string) (facts.Series, error)
	// Diff is the unified diff from nginx's configuration with the low limit to the one with the
	// high limit.
	Diff string
	// Path is the report's location as Short prints it.
	Path string
}

// Name returns the report's file name in a language.
func Name(l translations.Language) string {
	if l == translations.Chinese {
		return "report.zh.md"
	}
	return "report.md"
}

// Build returns the report and its charts, by their names beside results.json.
func Build(in Input) (map[string][]byte, error) {
	if in.Result == nil {
		return nil, parts.NoResult("make repro")
	}
	p := newPage(in)
	files, pictures, err := p.charts()
	if err != nil {
		return nil, err
	}
	for _, section := range []func(){
		func() { p.title(pictures) }, func() { p.AboutLanguage(Name(translations.English), "verdicts.json") }, p.VerdictSection,
		p.numbers, p.failures, p.Gaps, func() { p.pictures(pictures) },
		p.Wire, p.why, p.cures, p.original, p.method, p.Environment, p.glossary, p.Footnotes, p.repeat,
	} {
		section()
	}
	return p.Files(files, Name(in.Language))
}

// page is a report while it is written.
type page struct {
	parts.Page
	in   Input
	run  facts.Run
	rows []row
	// unread lists the timelines that could not be read.
	unread []string
}

// newPage escapes the unsafe characters of a run (text.Clean), such as terminal control sequences, before
// any of its text is used.
func newPage(in Input) *page {
	in = in.clean()
	return &page{in: in, run: in.Result.Run, rows: collect(in), Page: parts.Page{Result: in.Result,
		Verdicts: in.Verdicts, Language: in.Language, Rule: ruleOf}}
}

func (in Input) clean() Input {
	in.Result, in.Verdicts = text.CleanAll(in.Result), text.CleanAll(in.Verdicts)
	in.Diff, in.Path = text.Clean(in.Diff), text.Line(in.Path)
	return in
}

func ruleOf(id string) (group core.Group, good facts.Status) {
	r := core.RuleOf(runverdicts.Rules(), id)
	return r.Group, r.Good
}
