// Package parts writes what the reports of several commands share: headings, numbered notes, verdicts, warnings, the
// frames of a renewal, the environment, and the formats of numbers. runreport and storyreport hold the sections of
// their own.
package parts

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"
	"strings"
	"text/template"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/markdown"
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

// AboutLanguage says in a translation what isn't translated; english is the file name of the English report.
func (p *Page) AboutLanguage(english string) {
	if p.Translated() {
		p.Prose(texts, "language.md", map[string]any{"English": english})
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

// Dash marks an unknown number, which is never written as 0.
const Dash = text.Unknown

// Number writes a value for a table.
func Number(v *float64) string { return text.Maybe(v, text.Number) }

// Measure writes a measured number in the same form as the others of its column.
func Measure(v *float64) string { return text.Maybe(v, text.Measured) }

// Whole rounds to a whole number, for counts.
func Whole(v *float64) string { return text.Maybe(v, text.Whole) }

// Percent writes a share.
func Percent(v *float64) string {
	return text.Maybe(v, func(v float64) string { return text.Decimals(v*100, 1) + Space + "%" })
}

// Interval writes lo and hi, or "" if they are unknown.
func Interval(lo, hi *float64, write func(*float64) string) string {
	if lo == nil || hi == nil {
		return ""
	}
	a, b := write(lo), write(hi)
	if a == b {
		return ""
	}
	return " (" + a + Dash + b + ")"
}

// Stacked puts the interval on a line below its median, so that tables don't break it elsewhere.
func Stacked(s string) string { return strings.Replace(s, " (", "<br>(", 1) }

// Space is a non-breaking space.
const Space = "\u00a0"

// TwoDigits writes a ratio.
func TwoDigits(v *float64) string {
	return text.Maybe(v, func(v float64) string { return text.Decimals(v, 2) })
}

// Times writes a ratio with its interval, and ~ if the difference isn't significant.
func Times(c *statistics.Comparison) string {
	if c == nil || c.Ratio == nil {
		return Dash
	}
	s := "×" + Space + TwoDigits(c.Ratio) + Interval(c.Lo, c.Hi, TwoDigits)
	if m := c.Mark(); m != "" {
		s = m + Space + s
	}
	return s
}

// Escape makes text safe for a cell or a line.
func Escape(s string) string { return markdown.Escape(s) }

// Code returns a code span.
func Code(s string) string { return markdown.Code(s) }

// longestMessage is how much of a message a cell shows; results.json has all of it.
const longestMessage = 2000

// Message returns a verbatim message for a cell.
func Message(s string) string { return Code(text.Clip(s, longestMessage)) }

// Block returns a fenced code block.
func Block(language, s string) string { return markdown.Block(language, s) }

// Or replaces an empty text.
func Or(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

// When writes a time.
func When(t time.Time) string {
	if t.IsZero() {
		return Dash
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// Plural writes a number with its noun, a text of the catalogue with one for 1.
func Plural(l translations.Language, n int, noun translations.Phrase) string {
	return l.Say(noun, core.Count(float64(n)))
}

// Seconds writes a duration.
func Seconds(s float64) string { return text.Seconds(s) }

// Sources says where the numbers of one table come from.
type Sources struct {
	Heads []string
	// Cells has a place for each cell of each row of numbers: a JSON pointer into the run's
	// results.json, in which * stands for each trial, or empty.
	Cells [][]string
}

// Grid is a table with the places of its numbers in results.json.
type Grid struct {
	Heads []string
	// Left is how many columns at the left hold text; 0 is all.
	Left int
	rows [][]Cell
}

// Cell is a text and the place of its number, which may be empty.
type Cell struct{ Text, Raw string }

// Plain is a cell whose text has no place in results.json.
func Plain(s string) Cell { return Cell{Text: s} }

// Add adds a row. A row of one cell is a heading between rows.
func (g *Grid) Add(cells ...Cell) { g.rows = append(g.rows, cells) }

// Empty reports whether a table has no rows.
func (g *Grid) Empty() bool { return len(g.rows) == 0 }

// Table writes a table and returns the places of its numbers.
func (p *Page) Table(g Grid) Sources {
	p.Printf("| %s |\n", strings.Join(g.Heads, " | "))
	for i := range g.Heads {
		p.Printf("%s", map[bool]string{true: "|:--", false: "|--:"}[g.Left == 0 || i < g.Left])
	}
	p.Printf("|\n")
	numbers := Sources{Heads: g.Heads}
	for _, row := range g.rows {
		if len(row) == 1 {
			p.Printf("| **%s** |%s\n", row[0].Text, strings.Repeat(" |", len(g.Heads)-1))
			continue
		}
		var raws []string
		for _, c := range row {
			p.Printf("| %s ", c.Text)
			raws = append(raws, c.Raw)
		}
		p.Printf("|\n")
		numbers.Cells = append(numbers.Cells, raws)
	}
	p.Printf("\n")
	return numbers
}

// ServerDiff shows the one line that cures, and the whole diff as evidence that nothing else
// changed.
func (p *Page) ServerDiff(diff string) string {
	if strings.TrimSpace(diff) == "" {
		return Block("diff", "-        keepalive_requests 1000;\n+        keepalive_requests 100000;") +
			p.Say("page.complete-difference-diff")
	}
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	var limit []string
	for i, l := range lines {
		// A file's modification time differs in every checkout; its name doesn't.
		if strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ") {
			lines[i], _, _ = strings.Cut(l, "\t")
			continue
		}
		if changed(l) && strings.Contains(l, "# the limit") {
			limit = append(limit, l)
		}
	}
	whole := Block("diff", strings.Join(lines, "\n"))
	if len(limit) == 0 {
		return whole
	}
	return Block("diff", strings.Join(limit, "\n")) + "\n<details><summary>" +
		p.Say("page.complete-difference-two") + "</summary>\n\n" +
		whole + "\n</details>\n\n"
}

func changed(l string) bool { return strings.HasPrefix(l, "-") || strings.HasPrefix(l, "+") }

// What a bar's place says where a run has no number for it; %s is the recorded reason.
const (
	NotPart     translations.Phrase = "chart.not-part-run"
	Unsupported translations.Phrase = "chart.unsupported"
)

// Words are the texts of a chart in the page's language.
func (p *Page) Words(title, subtitle, desc string) chart.Words {
	return chart.Words{Title: title, Subtitle: subtitle, Desc: desc, Language: p.Language}
}

// ChartName is a chart's name in a language: goodput.zh is beside goodput as report.zh.md is beside report.md.
func ChartName(l translations.Language, name string) string {
	if l == translations.Chinese {
		return name + ".zh"
	}
	return name
}

// Keep adds a chart to a page's files.
func (p *Page) Keep(files map[string][]byte, name string, drawn chart.Picture) {
	at := "charts/" + ChartName(p.Language, name)
	files[at+"-light.svg"], files[at+"-dark.svg"] = drawn.Light, drawn.Dark
}

// Picture writes a chart, NAME-light.svg or NAME-dark.svg, in the theme of the reader.
func (p *Page) Picture(name, alt string) {
	at := Or(p.Charts, "charts/") + ChartName(p.Language, name)
	p.Printf("<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"%s-dark.svg\">\n", at)
	p.Printf("  <img alt=\"%s\" src=\"%s-light.svg\" width=\"800\">\n</picture>\n\n", html.EscapeString(alt), at)
}
