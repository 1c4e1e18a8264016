package parts

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"text/template"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// Page is a report while it is written.
type Page struct {
	Result   *facts.Result
	Verdicts []facts.Verdict
	Language translations.Language
	// Rule finds a verdict's part of the report and the status of a healthy run; both may be empty.
	Rule  func(id string) (group core.Group, good facts.Status)
	Notes Notes
	// Charts is where the pictures are, relative to the page; default "charts/".
	Charts string
	Text   bytes.Buffer
	Err    error // the first error of a template
}

// Printf writes text.
func (p *Page) Printf(format string, args ...any) { fmt.Fprintf(&p.Text, format, args...) }

// Say returns a phrase in the report's language.
func (p *Page) Say(f translations.Phrase, args ...any) string { return p.Language.Say(f, args...) }

// In returns a text in the report's language.
func (p *Page) In(t facts.Text) string { return p.Language.In(t) }

// Print writes a phrase.
func (p *Page) Print(f translations.Phrase, args ...any) { p.Text.WriteString(p.Say(f, args...)) }

// Translated reports whether the report isn't the English one.
func (p *Page) Translated() bool { return p.Language == translations.Chinese }

// Plural writes a number with its noun.
func (p *Page) Plural(n int, noun translations.Phrase) string { return Plural(p.Language, n, noun) }

// Heading begins a section. A translated section keeps the English anchor, so that a link leads to
// the same place in both languages.
func (p *Page) Heading(words translations.Phrase) { p.HeadingOf(facts.T(string(words))) }

// HeadingOf does so with a text.
func (p *Page) HeadingOf(t facts.Text) {
	if p.Translated() {
		p.Printf("\n<a id=\"%s\"></a>\n", anchor(translations.English.In(t)))
	}
	p.Printf("\n## %s\n\n", p.In(t))
}

// anchor is a heading as the end of a link, without the number of the section.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimLeft(heading, "0123456789. ")), " ", "-")
}

// Prose writes one of a package's longer texts, text/NAME or text/zh/NAME, with the run's values filled in.
func (p *Page) Prose(texts fs.FS, name string, data any) {
	from := "text/"
	if p.Translated() {
		from += "zh/"
	}
	t, err := template.New(name).Option("missingkey=error").ParseFS(texts, from+name)
	if err == nil {
		err = t.Execute(&p.Text, data)
	}
	if err != nil && p.Err == nil {
		p.Err = err
	}
}

// AboutLanguage says in a translation what isn't translated; english is the file name of the English report, data that
// of the document with its verdicts.
func (p *Page) AboutLanguage(english, data string) {
	if p.Translated() {
		p.Prose(texts, "language.md", map[string]any{"English": english, "Data": data})
	}
}

// Finished returns the text, with several empty lines reduced to one and none at the end.
func (p *Page) Finished() []byte {
	s := p.Text.String()
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return []byte(strings.TrimSpace(s) + "\n")
}

// Files adds the finished text to the charts drawn for it.
func (p *Page) Files(drawn map[string][]byte, name string) (map[string][]byte, error) {
	if p.Err != nil {
		return nil, p.Err
	}
	drawn[name] = p.Finished()
	return drawn, nil
}

// NoResult is the error of a page without a result; measure is the command that makes one.
func NoResult(measure string) error {
	return fmt.Errorf("there is no result to report on: give a directory with a results.json, or measure one with `%s`", measure)
}
