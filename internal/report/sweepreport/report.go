package sweepreport

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// Input is all data for a page, Built the drawn page.
type (
	Input = parts.SweepInput
	Built = parts.SweepBuilt
)

// Name returns the page's file name in a language.
func Name(l translations.Language) string { return parts.SweepName(l) }

// Build draws the page in one language.
func Build(in Input) (Built, error) {
	if in.Result == nil {
		return Built{}, parts.NoResult("make sweep")
	}
	p := newSheet(in)
	p.top()
	p.AboutLanguage(parts.Or(in.English, Name(translations.English)), "verdicts.json")
	p.decisions()
	for _, t := range p.tables {
		p.sweep(sweepverdicts.Voice{Table: t})
	}
	p.SweepGaps(p.Missing())
	p.glossary()
	p.method()
	p.settings()
	p.Environment()
	p.Footnotes()
	p.repeat()
	files, err := p.Files(p.files, Name(in.Language))
	return Built{Files: files, Numbers: p.numbers}, err
}

// sheet is a page while it is written.
type sheet struct {
	parts.Page
	in      Input
	run     facts.Run
	tables  []sweepverdicts.Table
	files   map[string][]byte
	numbers []parts.Sources
}

// newSheet escapes the unsafe characters of a run (text.Clean) before any of its text is used.
func newSheet(in Input) *sheet {
	in.Result, in.Path = text.CleanAll(in.Result), text.Line(in.Path)
	return &sheet{in: in, run: in.Result.Run, tables: sweepverdicts.Tables(in.Result), files: map[string][]byte{},
		Page: parts.Page{Result: in.Result, Language: in.Language, Charts: in.Charts}}
}

func (p *sheet) repeat() {
	p.Heading("page.repeat-run")
	p.Print("page.make-report-draws-same", parts.Block("sh", parts.Or(p.run.Repeat, "h2lab "+sweepverdicts.Command)))
}
