package runreport

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// Input is all data for a report.
type Input struct {
	Result *facts.Result
	// Verdicts are in Language.
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

// Build returns the report and charts/*.svg, by their names beside results.json. Only the English
// report has charts; the translations link to them.
func Build(in Input) (map[string][]byte, error) {
	if in.Result == nil {
		return nil, errors.New("there is no result to report on: give a directory with a results.json, " +
			"or measure one with `make repro`")
	}
	p := newPage(in)
	files, pictures, err := p.charts()
	if err != nil {
		return nil, err
	}
	for _, section := range []func(){
		func() { p.title(pictures) }, p.aboutLanguage, p.verdicts, p.numbers, p.failures, p.gaps,
		func() { p.pictures(pictures) },
		p.wire, p.why, p.cures, p.original, p.method, p.environment, p.glossary, p.footnotes, p.repeat,
	} {
		section()
	}
	if p.err != nil {
		return nil, p.err
	}
	if p.translated() {
		clear(files)
	}
	files[Name(in.Language)] = tidy(p.md.Bytes())
	return files, nil
}

// page is a report while it is written.
type page struct {
	in    Input
	run   facts.Run
	rows  []row
	notes notes
	md    bytes.Buffer
	// unread lists the timelines that could not be read.
	unread []string
	err    error // the first error of a template
}

// newPage escapes the unsafe characters of a run (text.Clean), such as terminal control sequences, before
// any of its text is used.
func newPage(in Input) *page {
	in = in.clean()
	return &page{in: in, run: in.Result.Run, rows: collect(in)}
}

func (in Input) clean() Input {
	in.Result, in.Verdicts = text.CleanAll(in.Result), text.CleanAll(in.Verdicts)
	in.Diff, in.Path = text.Clean(in.Diff), text.Line(in.Path)
	return in
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(&p.md, format, args...) }

// say returns a phrase in the report's language.
func (p *page) say(f translations.Phrase, args ...any) string { return p.in.Language.Say(f, args...) }

// printPhrase writes a phrase.
func (p *page) printPhrase(f translations.Phrase, args ...any) { p.md.WriteString(p.say(f, args...)) }

func (p *page) translated() bool { return p.in.Language == translations.Chinese }

// heading begins a section. A translated section keeps the English anchor, so that a link leads to
// the same place in both languages.
func (p *page) heading(words translations.Phrase) {
	if p.translated() {
		p.printf("\n<a id=\"%s\"></a>\n", strings.ReplaceAll(strings.ToLower(string(words)), " ", "-"))
	}
	p.printf("\n## %s\n\n", p.say(words))
}

// aboutLanguage lists in a translation what isn't translated.
func (p *page) aboutLanguage() {
	if p.translated() {
		p.prose("language.md", nil)
	}
}

// tidy reduces several empty lines to one and removes those at the end.
func tidy(md []byte) []byte {
	s := string(md)
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return []byte(strings.TrimSpace(s) + "\n")
}
