package storyreport

import (
	"embed"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

//go:embed text/*.md text/zh/*.md
var texts embed.FS

// Input is all data for a story's page.
type Input struct {
	Result *facts.Result
	// Verdicts are in Language.
	Verdicts []facts.Verdict
	// Language is that of the text; default English.
	Language translations.Language
	// Diff is the unified diff from nginx's configuration with the low limit to the one with the high limit.
	Diff string
	// Path is the page's location as Short prints it.
	Path string
}

// Name returns the page's file name in a language.
func Name(l translations.Language) string {
	if l == translations.Chinese {
		return "story.zh.md"
	}
	return "story.md"
}

// Build returns the page and its charts, by their names beside results.json.
func Build(in Input) (map[string][]byte, error) {
	if in.Result == nil {
		return nil, parts.NoResult("make story")
	}
	p := newPage(in)
	files, err := p.charts()
	if err != nil {
		return nil, err
	}
	p.write(files)
	return p.Files(files, Name(in.Language))
}

// Numbers returns the sources of the page's tables, in their order.
func Numbers(in Input) []parts.Sources {
	p := newPage(in)
	p.write(nil)
	return p.sources
}

// page is a story while it is written.
type page struct {
	parts.Page
	in      Input
	run     facts.Run
	chain   storyverdicts.Chain
	sources []parts.Sources
}

// newPage escapes the unsafe characters of a run (text.Clean), such as terminal control sequences, before any of its
// text is used.
func newPage(in Input) *page {
	in.Result, in.Verdicts = text.CleanAll(in.Result), text.CleanAll(in.Verdicts)
	in.Diff, in.Path = text.Clean(in.Diff), text.Line(in.Path)
	return &page{in: in, run: in.Result.Run, chain: storyverdicts.ChainOf(in.Result), Page: parts.Page{
		Result: in.Result, Verdicts: in.Verdicts, Language: in.Language, Rule: ruleOf}}
}

func (p *page) write(charts map[string][]byte) {
	for _, section := range []func(){
		func() { p.title(charts) }, func() { p.AboutLanguage(Name(translations.English), "verdicts.json") },
		p.service, p.api, p.cut, p.connections, p.retry, p.cures, p.original, p.VerdictSection, p.failures, p.Gaps,
		p.method, p.Environment, p.glossary, p.Footnotes, p.repeat,
	} {
		section()
	}
}

func (p *page) prose(name string, data any) { p.Prose(texts, name, data) }

// headline is the page's sentence.
func (p *page) headline() string {
	return strings.Join(strings.Fields(p.In(storyverdicts.Headline(p.in.Result, p.in.Verdicts))), " ")
}

// title writes the first screen: the headline, the charts, and the warnings of the whole run.
func (p *page) title(charts map[string][]byte) {
	p.Print("story.service-middle-incident")
	p.Printf("> **%s**\n\n", parts.Escape(p.headline()))
	p.pictures(charts)
	p.Print("page.run", parts.Code(parts.Or(p.run.Repeat, "h2lab story")), parts.Code(p.run.ID),
		parts.When(p.run.Started), parts.Escape(parts.Or(p.run.Runtime, parts.Dash)))
	for i, w := range p.Warnings() {
		if i == 0 {
			p.Printf("**%s**\n\n", p.Say(parts.WarningsHead))
		}
		p.Printf("- %s\n", parts.Escape(w))
	}
}

func (p *page) repeat() {
	p.Heading("page.repeat-run")
	p.Print("page.make-report-draws-same", parts.Block("sh", parts.Or(p.run.Repeat, "h2lab story")))
}

func ruleOf(id string) (group core.Group, good facts.Status) {
	r := storyverdicts.RuleOf(id)
	return r.Group, r.Good
}
