package mattersreport

import (
	"embed"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/limitmap"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

//go:embed text/*.md text/zh/*.md
var texts embed.FS

// Input is all data for a page, Built the drawn page.
type (
	Input = parts.SweepInput
	Built = parts.SweepBuilt
)

// Name returns the page's file name in a language.
func Name(l translations.Language) string { return parts.SweepName(l) }

// sheet is a page while it is written.
type sheet struct {
	parts.Page
	limitmap.Voice
	in      Input
	files   map[string][]byte
	numbers []parts.Sources
}

// newSheet escapes the unsafe characters of a run (text.Clean) before any of its text is used.
func newSheet(in Input) *sheet {
	in.Result, in.Path = text.CleanAll(in.Result), text.Line(in.Path)
	return &sheet{in: in, files: map[string][]byte{},
		Voice: limitmap.Voice{Map: limitmap.New(in.Result)},
		Page:  parts.Page{Result: in.Result, Language: in.Language, Charts: in.Charts}}
}

// run is the command and its settings.
func (p *sheet) run() facts.Run { return p.in.Result.Run }

// Build draws the page in one language.
func Build(in Input) (Built, error) {
	if in.Result == nil {
		return Built{}, parts.NoResult("make sweep SWEEP=matters")
	}
	p := newSheet(in)
	p.top()
	p.AboutLanguage(parts.Or(in.English, Name(translations.English)), "verdicts.json")
	p.findYourPlace()
	p.maps()
	p.loads()
	p.everyNumber()
	p.gaps()
	p.method()
	p.Environment()
	p.Footnotes()
	p.Heading("page.repeat-run")
	p.Print("page.make-report-draws-same",
		parts.Block("sh", parts.Or(p.run().Repeat, "h2lab sweep --sweep "+limitmap.Sweep)))
	files, err := p.Files(p.files, Name(in.Language))
	return Built{Files: files, Numbers: p.numbers}, err
}

// top writes the first screen: the sentence, the run and its warnings.
func (p *sheet) top() {
	p.Print("matters.when-limit-requests-per")
	p.Printf("> **%s**\n\n", markdown.Prose(p.In(p.Headline())))
	p.Print("page.run", parts.Code(parts.Or(p.run().Repeat, "h2lab sweep")),
		parts.Code(p.run().ID), parts.When(p.run().Started), parts.Escape(parts.Or(p.run().Runtime, parts.Dash)))
	for i, w := range p.warnings() {
		if i == 0 {
			p.Printf("**%s**\n\n", p.Say(parts.WarningsHead))
		}
		p.Printf("- %s\n", markdown.Prose(w))
	}
}

// warnings apply to the whole run; the terminal prints the same list.
func (p *sheet) warnings() (out []string) {
	run := p.run()
	out = p.Ended()
	if run.Quick {
		out = append(out, p.Say("matters.quick-run-part-map"))
	}
	if !p.Repeated() {
		out = append(out, p.Say("matters.no-cell-measured-twice", text.Number(limitmap.Assumed*100)))
	}
	out = append(out, p.Language.Recorded(run.Warnings)...)
	strained, disturbed, measured := p.Doubts()
	if strained > 0 {
		out = append(out, p.Say("matters.measured-cells-all-cores",
			text.Count(strained), text.Count(measured), text.Count(p.in.Result.Environment.Cores)))
	}
	if disturbed > 0 {
		out = append(out, p.Say("matters.measured-cells-other", text.Count(disturbed), text.Count(measured)))
	}
	missing, _ := p.Missing()
	out = append(out, p.Incomplete(missing)...)
	return append(out, p.WrongLimits()...)
}

// limitName is a limit as the name of a map.
func (p *sheet) limitName(limit int) string { return p.Say("matters.limit", text.Count(limit)) }
